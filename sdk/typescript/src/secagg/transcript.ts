import { createHash } from "node:crypto";

/** What everybody in a secure round has agreed on before the first key is made. */
export interface Terms {
  readonly runId: string;
  readonly round: number;
  /** Raised whenever the coordinator begins a round again. */
  readonly attempt: number;
  /** Who was asked, in ascending order; a place in this list, from 1, is the place of a share. */
  readonly participants: readonly string[];
  readonly threshold: number;
  readonly clip: number;
  readonly maxWeight: number;
}

export interface PublicKeys {
  readonly participant: string;
  readonly cipherKey: Uint8Array;
  readonly maskKey: Uint8Array;
  /** That its owner knows what the group knows; where there is such a secret. */
  readonly proof?: Uint8Array;
}

const VERSION = "turnpike secagg 1";

/** A hash of the terms and of everybody's keys. Every secret of a round is derived with it, so that none fits another round. */
export function transcriptOf(terms: Terms, keys: readonly PublicKeys[]): Uint8Array {
  const { runId, round, attempt, participants, threshold, clip, maxWeight } = terms;
  const words = [VERSION, runId, round, attempt, threshold, clip, maxWeight, participants.length, ...participants];
  const hash = createHash("sha256");
  for (const word of words) hash.update(framed(Buffer.from(String(word))));
  for (const { participant, cipherKey, maskKey } of keys) {
    for (const part of [Buffer.from(participant), cipherKey, maskKey]) hash.update(framed(part));
  }
  return new Uint8Array(hash.digest());
}

/** Bytes behind their length: nothing else reads the same when it is put together. */
export function framed(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Whether the names are plain, and in ascending order, so that none stands twice. */
export function areOrdered(names: readonly string[]): boolean {
  return names.every(
    (name, at) => /^[A-Za-z0-9_.-]{1,64}$/.test(name) && (at === 0 || (names[at - 1] as string) < name),
  );
}
