import { secagg } from "../../../sdk/typescript/src/index.ts";
import { ParticipantFailure } from "../wire/participant-failure.ts";
import type { Told } from "./givers.ts";

/** Answers of participants, none of which is trusted to have the shape that it should. */
const SEALED_BYTES = 98;
const COMMITMENT_BYTES = 32;
const PROOF_BYTES = 32;

/** Any secret shows whether a key is of low order. */
const PROBE = new Uint8Array(secagg.KEY_BYTES).fill(1);

const wrong = (what: string) => new ParticipantFailure(`its answer has no ${what}`, false);

export function readKeysAnswer(participant: string, bytes: Uint8Array): secagg.PublicKeys {
  const answer = parse(bytes);
  return {
    participant,
    cipherKey: readKey(answer.cipher_key, "cipher_key"),
    maskKey: readKey(answer.mask_key, "mask_key"),
    // Only the others can tell what it is worth.
    ...(answer.proof === undefined ? {} : { proof: readBytes(answer.proof, PROOF_BYTES, "proof") }),
  };
}

/** One that everybody can agree on something with: all others would refuse the round, and not only its owner. */
function readKey(value: unknown, what: string): Uint8Array {
  const key = readBytes(value, secagg.KEY_BYTES, what);
  if (secagg.agree(PROBE, key) === null) throw wrong(`${what} that is one`);
  return key;
}

/** Those whose keys are nobody else's, and two different ones; the others would have everybody refuse the round. */
export function withOwnKeys(all: readonly secagg.PublicKeys[]): secagg.PublicKeys[] {
  const counts = new Map<string, number>();
  const textsOf = ({ cipherKey, maskKey }: secagg.PublicKeys) =>
    [cipherKey, maskKey].map((key) => Buffer.from(key).toString("base64"));
  for (const text of all.flatMap(textsOf)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return all.filter((one) => textsOf(one).every((text) => counts.get(text) === 1));
}

export interface SharesAnswer {
  /** What is sealed for each of the others, base64. */
  readonly sealed: ReadonlyMap<string, string>;
  readonly commitment: string;
}

export function readSharesAnswer(bytes: Uint8Array, others: readonly string[]): SharesAnswer {
  const answer = parse(bytes);
  const shares = readShares(answer.shares, SEALED_BYTES, others, "shares");
  readBytes(answer.commitment, COMMITMENT_BYTES, "commitment");
  const sealed = new Map([...shares].map(([name, share]) => [name, Buffer.from(share).toString("base64")]));
  return { sealed, commitment: String(answer.commitment) };
}

export function readUnmaskAnswer(
  participant: string,
  bytes: Uint8Array,
  survivors: readonly string[],
  dropped: readonly string[],
): Told {
  const answer = parse(bytes);
  return {
    participant,
    seeds: readShares(answer.seeds, secagg.SHARE_BYTES, survivors, "seeds"),
    keys: readShares(answer.keys, secagg.SHARE_BYTES, dropped, "keys"),
  };
}

/** One share for each of the names, and for nobody else. */
function readShares(value: unknown, length: number, names: readonly string[], what: string): Map<string, Uint8Array> {
  const entries = Array.isArray(value) ? (value as unknown[]) : [];
  const shares = new Map<string, Uint8Array>();
  for (const entry of entries) {
    const { participant, share } = (entry ?? {}) as Record<string, unknown>;
    shares.set(String(participant), readBytes(share, length, what));
  }
  if (entries.length !== names.length || !names.every((name) => shares.has(name))) throw wrong(`complete ${what}`);
  return shares;
}

function readBytes(value: unknown, length: number, what: string): Uint8Array {
  const bytes = Buffer.from(typeof value === "string" ? value : "", "base64");
  if (bytes.length !== length) throw wrong(what);
  return new Uint8Array(bytes);
}

function parse(bytes: Uint8Array): Record<string, unknown> {
  try {
    const answer: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (typeof answer === "object" && answer !== null) return answer as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw wrong("JSON object");
}
