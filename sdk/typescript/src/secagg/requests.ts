import type { Fields } from "../body/fields.ts";
import { invalid } from "../failure.ts";
import { PARTICIPANTS_MAX, WEIGHT_MAX } from "./fixed-point.ts";
import { areOrdered, type PublicKeys, type Terms } from "./transcript.ts";
import { KEY_BYTES } from "./x25519.ts";

/** Fewer hide nobody, at any step: of two, each knows the other's update from the sum. */
export const PARTICIPANTS_MIN = 3;

const SEALED_BYTES = 98;
const PROOF_BYTES = 32;

export interface RoundName {
  readonly runId: string;
  readonly round: number;
  readonly attempt: number;
}

const wrongType = (path: string, what: string) => invalid("wrong_type", `${path} must be ${what}`, path);

function given(fields: Fields, name: string): unknown {
  const value = fields.get(name) ?? null;
  if (value === null) throw invalid("missing_field", `${name} is missing`, name);
  return value;
}

export function readRoundName(fields: Fields): RoundName {
  const runId = given(fields, "run_id");
  if (typeof runId !== "string" || !/^[A-Za-z0-9_.:-]{1,128}$/.test(runId)) {
    throw wrongType("run_id", "a plain name of at most 128 characters");
  }
  return { runId, round: readCount(fields, "round", 0), attempt: readCount(fields, "attempt", 0) };
}

/** What a round is to be, checked for everything that would make it unsafe. */
export function readTerms(fields: Fields): { terms: Terms; own: string } {
  const name = readRoundName(fields);
  const participants = readNames(fields, "participants");
  const own = given(fields, "participant");
  if (typeof own !== "string" || !participants.includes(own)) throw wrongType("participant", "one of participants");
  const threshold = readCount(fields, "threshold", 1);
  const clip = given(fields, "clip");
  if (typeof clip !== "number" || !Number.isFinite(clip) || clip <= 0) throw wrongType("clip", "a number above zero");
  const maxWeight = readCount(fields, "max_weight", 1);
  if (maxWeight > WEIGHT_MAX) throw wrongType("max_weight", `at most ${WEIGHT_MAX}`);
  if (participants.length > PARTICIPANTS_MAX) {
    throw invalid("too_many", `more than ${PARTICIPANTS_MAX} participants cannot be summed`, "participants");
  }
  if (participants.length < PARTICIPANTS_MIN) {
    throw invalid("too_few", `fewer than ${PARTICIPANTS_MIN} participants hide nobody`, "participants");
  }
  const least = Math.max(PARTICIPANTS_MIN, Math.floor(participants.length / 2) + 1);
  if (threshold < least || threshold > participants.length) {
    throw invalid("weak_threshold", `threshold must be from ${least} to ${participants.length}`, "threshold");
  }
  return { terms: { ...name, participants, threshold, clip, maxWeight }, own };
}

export function readKeys(fields: Fields): PublicKeys[] {
  const entries = readEntries(fields, "keys");
  checkOrder(
    "keys",
    entries.map(({ participant }) => participant),
  );
  return entries.map(({ participant, rest }, at) => ({
    participant,
    cipherKey: readBytes(rest.cipher_key, KEY_BYTES, `keys[${at}].cipher_key`),
    maskKey: readBytes(rest.mask_key, KEY_BYTES, `keys[${at}].mask_key`),
    ...((rest.proof ?? null) === null ? {} : { proof: readBytes(rest.proof, PROOF_BYTES, `keys[${at}].proof`) }),
  }));
}

export function readShares(fields: Fields): Array<{ readonly from: string; readonly sealed: Uint8Array }> {
  const entries = readEntries(fields, "shares");
  checkOrder(
    "shares",
    entries.map(({ participant }) => participant),
  );
  return entries.map(({ participant, rest }, at) => ({
    from: participant,
    sealed: readBytes(rest.share, SEALED_BYTES, `shares[${at}].share`),
  }));
}

/** The most that this participant may count for, where it is told so. */
export const readLimit = (fields: Fields): number =>
  (fields.get("max_examples") ?? null) === null ? WEIGHT_MAX : readCount(fields, "max_examples", 0);

export function readNames(fields: Fields, path: string): string[] {
  const names = given(fields, path);
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string"))
    throw wrongType(path, "an array of names");
  checkOrder(path, names);
  return names;
}

function checkOrder(path: string, names: readonly string[]): void {
  if (!areOrdered(names)) throw wrongType(path, "of plain names in ascending order, each once");
}

function readEntries(fields: Fields, path: string): Array<{ participant: string; rest: Record<string, unknown> }> {
  const entries = given(fields, path);
  if (!Array.isArray(entries)) throw wrongType(path, "an array");
  return entries.map((entry: unknown, at) => {
    const rest = typeof entry === "object" && entry !== null ? (entry as Record<string, unknown>) : {};
    if (typeof rest.participant !== "string") throw wrongType(`${path}[${at}].participant`, "a name");
    return { participant: rest.participant, rest };
  });
}

function readCount(fields: Fields, path: string, least: number): number {
  const value = given(fields, path);
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw wrongType(path, `an integer of at least ${least}`);
}

/** So many bytes as base64, written in the one way there is. */
function readBytes(value: unknown, length: number, path: string): Uint8Array {
  const bytes = typeof value === "string" ? Buffer.from(value, "base64") : null;
  if (bytes !== null && bytes.length === length && bytes.toString("base64") === value) return new Uint8Array(bytes);
  throw wrongType(path, `base64 of ${length} bytes`);
}
