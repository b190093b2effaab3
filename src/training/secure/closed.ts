import { secagg } from "../../../sdk/typescript/src/index.ts";
import { Givers, type Told } from "./givers.ts";

export type SecurePhase = "keys" | "shares" | "masked" | "unmask";

export interface Dropped {
  readonly participant: string;
  readonly phase: SecurePhase;
  readonly reason: string;
}

/** An attempt that nobody can join any more: all that is needed to unmask its sum, as it lies on disk. */
export interface Closed {
  readonly attempt: number;
  readonly threshold: number;
  readonly participants: readonly string[];
  /** Public keys and the commitment to the seed of everybody who sent shares, in ascending order, base64. */
  readonly senders: ReadonlyArray<{
    readonly participant: string;
    readonly maskKey: string;
    readonly commitment: string;
  }>;
  readonly transcript: string;
  readonly survivors: ReadonlyArray<{ readonly participant: string; readonly sha256: string; readonly bytes: number }>;
  readonly dropped: readonly Dropped[];
}

/** Shares that do not give the secrets that they are said to be of. */
export class WrongShares extends Error {
  override readonly name = "WrongShares";
}

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));
const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.from(a).equals(Buffer.from(b));

/** Takes every mask away from the sum, in place. `told` has at least as many entries as the threshold. */
export async function unmaskSum(sum: Uint32Array, closed: Closed, told: readonly Told[]): Promise<void> {
  const givers = new Givers(closed, told);
  const transcript = bytes(closed.transcript);
  const survivors = new Set(closed.survivors.map(({ participant }) => participant));
  const maskKeys = new Map(closed.senders.map(({ participant, maskKey }) => [participant, bytes(maskKey)]));
  for (const { participant, maskKey, commitment } of closed.senders) {
    if (survivors.has(participant)) {
      const isSeed = (seed: Uint8Array) => isSame(secagg.commitmentOf(seed, transcript), bytes(commitment));
      const seed = givers.findSecret("seeds", participant, isSeed);
      if (seed === null) throw new WrongShares(`the shares of ${participant}'s seed do not fit together`);
      await takeAway(sum, seed, -1);
      continue;
    }
    const isKey = (secret: Uint8Array) => isSame(secagg.publicOf(secret), bytes(maskKey));
    const secret = givers.findSecret("keys", participant, isKey);
    if (secret === null) throw new WrongShares(`the shares of ${participant}'s mask key do not fit together`);
    for (const survivor of survivors) {
      const agreed = secagg.agree(secret, maskKeys.get(survivor) as Uint8Array) as Uint8Array;
      await takeAway(sum, secagg.pairSeed(agreed, transcript), survivor < participant ? -1 : 1);
    }
  }
}

/** Others get their turn between two masks, each of which may take a while. */
async function takeAway(sum: Uint32Array, seed: Uint8Array, sign: 1 | -1): Promise<void> {
  secagg.addMask(sum, seed, sign);
  await new Promise((resolve) => setImmediate(resolve));
}
