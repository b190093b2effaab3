import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { framed } from "./transcript.ts";

const MAC_BYTES = 32;

/** A secret for one purpose, from what two participants agreed on and the transcript of the round. */
function derive(agreed: Uint8Array, purpose: string, transcript: Uint8Array, ...names: string[]): Uint8Array {
  const hmac = createHmac("sha256", agreed)
    .update(framed(Buffer.from(purpose)))
    .update(framed(transcript));
  for (const name of names) hmac.update(framed(Buffer.from(name)));
  return new Uint8Array(hmac.digest());
}

/** The seed of the mask that two participants share. */
export const pairSeed = (agreed: Uint8Array, transcript: Uint8Array): Uint8Array => derive(agreed, "mask", transcript);

/** What a participant says of its own seed, so that a wrong share of it is found out. */
export const commitmentOf = (seed: Uint8Array, transcript: Uint8Array): Uint8Array =>
  derive(seed, "commitment", transcript);

/** Shows that somebody who knows the group's secret has made these keys for this very round. */
export const proofOf = (groupSecret: string, transcriptOfOwn: Uint8Array): Uint8Array =>
  derive(Buffer.from(groupSecret), "group", transcriptOfOwn);

export interface Envelope {
  readonly agreed: Uint8Array;
  readonly transcript: Uint8Array;
  readonly from: string;
  readonly to: string;
}

/** Encrypts and then authenticates. The keys serve for one message: they are of this round, sender and receiver alone. */
export function seal(plain: Uint8Array, envelope: Envelope): Uint8Array {
  const hidden = applyStream(plain, envelope);
  return Buffer.concat([hidden, macOf(hidden, envelope)]);
}

/** What was sealed; null when it was not sealed by that sender for that receiver in that round. */
export function unseal(sealed: Uint8Array, envelope: Envelope): Uint8Array | null {
  const hidden = sealed.subarray(0, -MAC_BYTES);
  const mac = sealed.subarray(-MAC_BYTES);
  if (mac.length !== MAC_BYTES || !timingSafeEqual(mac, macOf(hidden, envelope))) return null;
  return applyStream(hidden, envelope);
}

function applyStream(bytes: Uint8Array, { agreed, transcript, from, to }: Envelope): Uint8Array {
  const key = derive(agreed, "encrypt", transcript, from, to);
  const stream = createHash("shake256", { outputLength: bytes.length }).update(key).digest();
  return bytes.map((byte, at) => byte ^ (stream[at] as number));
}

function macOf(hidden: Uint8Array, { agreed, transcript, from, to }: Envelope): Uint8Array {
  const key = derive(agreed, "authenticate", transcript, from, to);
  return new Uint8Array(createHmac("sha256", key).update(hidden).digest());
}
