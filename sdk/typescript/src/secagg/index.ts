// What the coordinator's side needs: the same arithmetic, without any of the participant's secrets.
export { commitmentOf, pairSeed } from "./derive.ts";
export { type Change, fromWords, PARTICIPANTS_MAX, type Scale, type Sum, toWords, WEIGHT_MAX } from "./fixed-point.ts";
export { addMask, bytesOf, wordsOf } from "./masks.ts";
export { PARTICIPANTS_MIN } from "./requests.ts";
export { combineShares, SHARE_BYTES, weightsAtZero } from "./shamir.ts";
export { type PublicKeys, type Terms, transcriptOf } from "./transcript.ts";
export { agree, KEY_BYTES, publicOf } from "./x25519.ts";
