import { createHash } from "node:crypto";
import type { Fields } from "../body/fields.ts";
import { Failure, invalid } from "../failure.ts";
import { commitmentOf, pairSeed, proofOf, seal, unseal } from "./derive.ts";
import { type Change, toWords } from "./fixed-point.ts";
import { addMask, bytesOf } from "./masks.ts";
import { randomSource } from "./random-source.ts";
import { type RoundName, readKeys, readLimit, readNames, readRoundName, readShares, readTerms } from "./requests.ts";
import { SECRET_BYTES, SHARE_BYTES, splitSecret } from "./shamir.ts";
import { type PublicKeys, type Terms, transcriptOf } from "./transcript.ts";
import { agree, KEY_BYTES, publicOf } from "./x25519.ts";

/** Runs that are remembered at once, and for how long after they were last heard of. */
const RUNS_MAX = 16;
const REMEMBERED_MS = 24 * 3600 * 1000;

/** What a participant knows of a round: all of its secrets, and what it has said already. */
interface State {
  readonly terms: Terms;
  readonly own: string;
  readonly cipherSecret: Uint8Array;
  readonly maskSecret: Uint8Array;
  readonly publicKeys: PublicKeys;
  shared: Shared | null;
  received: Received | null;
  /** A hash of the words that were masked: others are never masked in the same way. */
  masked: string | null;
  survivors: readonly string[] | null;
  heardAtMs: number;
}

interface Shared {
  readonly keys: ReadonlyMap<string, PublicKeys>;
  readonly transcript: Uint8Array;
  readonly selfSeed: Uint8Array;
  readonly own: Pair;
  readonly answer: SharesAnswer;
}

/** One share of somebody's mask key and one of its seed. Only one of the two is ever given away. */
interface Pair {
  readonly key: Uint8Array;
  readonly seed: Uint8Array;
}

type Received = ReadonlyMap<string, Pair>;

export interface SharesAnswer {
  readonly shares: ReadonlyArray<{ readonly participant: string; readonly share: string }>;
  readonly commitment: string;
}

const conflict = (reason: string, message: string) => new Failure(409, reason, message);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const same = (a: readonly string[], b: readonly string[]) => a.join() === b.join();

/**
 * The participant's side of secure aggregation: the newest round of each run, in memory alone. It gives nothing away that could
 * unmask one update: it speaks about one list of survivors for a round, and gives one kind of share of each of the others.
 */
export class SecureRounds {
  private readonly runs = new Map<string, State>();

  constructor(
    private readonly nowMs: () => number = Date.now,
    /** What all participants know and the coordinator does not; null where there is no such thing. */
    private readonly groupSecret: () => string | null = () => null,
  ) {}

  /** Whether a run is one whose updates are only given away masked. */
  knows(runId: string | null): boolean {
    this.forget();
    return runId !== null && this.runs.has(runId);
  }

  keys(fields: Fields) {
    const { terms, own } = readTerms(fields);
    const known = this.known(terms);
    const state = known ?? this.begin(terms, own);
    if (state.own !== own || !sameTerms(state.terms, terms)) {
      throw conflict("round_conflict", "this attempt was begun with other terms");
    }
    const { cipherKey, maskKey, proof } = state.publicKeys;
    const vouched = proof === undefined ? {} : { proof: base64(proof) };
    return { cipher_key: base64(cipherKey), mask_key: base64(maskKey), ...vouched };
  }

  shares(fields: Fields): SharesAnswer {
    const state = this.find(readRoundName(fields));
    const keys = readKeys(fields);
    const transcript = transcriptOf(state.terms, keys);
    if (state.shared !== null) {
      if (base64(state.shared.transcript) === base64(transcript)) return state.shared.answer;
      throw conflict("round_conflict", "shares were made for other keys in this round");
    }
    checkKeys(state, keys);
    checkProofs(state.terms, keys, this.groupSecret());
    state.shared = share(state, keys, transcript);
    return state.shared.answer;
  }

  /** Opens the shares that the others sent; what may be masked afterwards. */
  receive(fields: Fields): Maskable {
    const state = this.find(readRoundName(fields));
    if (state.shared === null) throw conflict("phase", "keys and shares come first");
    const { keys, own } = state.shared;
    const entries = readShares(fields);
    const senders = [...entries.map(({ from }) => from), state.own].sort();
    if (entries.some(({ from }) => from === state.own || !keys.has(from))) {
      throw invalid("wrong_type", "shares must come from others whose keys are known", "shares");
    }
    checkEnough(senders.length, state.terms, "shares");
    const limit = readLimit(fields);
    if (state.received !== null) {
      if (same([...state.received.keys()], senders)) return maskable(state, limit);
      throw conflict("round_conflict", "shares of others were taken in this round");
    }
    const opened = new Map(entries.map(({ from, sealed }) => [from, open(state, from, sealed)]));
    state.received = new Map(senders.map((name) => [name, opened.get(name) ?? own]));
    return maskable(state, limit);
  }

  /** Shares of the seeds of those who sent an update, and of the mask keys of those who did not. */
  unmask(fields: Fields) {
    const state = this.find(readRoundName(fields));
    const survivors = readNames(fields, "survivors");
    const { received, masked, own } = state;
    if (received === null || masked === null) throw conflict("phase", "nothing was masked in this round");
    if (!survivors.includes(own) || survivors.some((name) => !received.has(name))) {
      throw invalid("wrong_type", "survivors must be of this round, this participant among them", "survivors");
    }
    checkEnough(survivors.length, state.terms, "survivors");
    if (state.survivors !== null && !same(state.survivors, survivors)) {
      throw conflict("already_unmasked", "shares were given for another list of survivors in this round");
    }
    state.survivors = survivors;
    const isSurvivor = new Set(survivors);
    const told = [...received].map(([participant, pair]) => ({
      participant,
      pair,
      survived: isSurvivor.has(participant),
    }));
    return {
      seeds: told.flatMap(({ participant, pair, survived }) =>
        survived ? [{ participant, share: base64(pair.seed) }] : [],
      ),
      keys: told.flatMap(({ participant, pair, survived }) =>
        survived ? [] : [{ participant, share: base64(pair.key) }],
      ),
    };
  }

  /** The round as it stands, when it was begun here and nothing newer of its run is known. */
  private known({ runId, round, attempt }: RoundName): State | null {
    this.forget();
    const state = this.runs.get(runId);
    if (state === undefined) return null;
    const { terms } = state;
    const older = round < terms.round || (round === terms.round && attempt < terms.attempt);
    if (older) throw conflict("round_passed", "a later round or attempt of this run was begun");
    if (round === terms.round && attempt > terms.attempt && state.survivors !== null) {
      throw conflict("already_unmasked", "shares were given in an earlier attempt at this round");
    }
    if (round !== terms.round || attempt !== terms.attempt) return null;
    this.touch(state);
    return state;
  }

  private find(name: RoundName): State {
    const state = this.known(name);
    if (state !== null) return state;
    throw conflict("unknown_round", "this participant has not begun that round; it may have been started again since");
  }

  private begin(terms: Terms, own: string): State {
    const [cipherSecret, maskSecret] = [randomSource.bytes(KEY_BYTES), randomSource.bytes(KEY_BYTES)];
    const made = { participant: own, cipherKey: publicOf(cipherSecret), maskKey: publicOf(maskSecret) };
    const secret = this.groupSecret();
    const publicKeys = secret === null ? made : { ...made, proof: proofOf(secret, transcriptOf(terms, [made])) };
    const empty = { shared: null, received: null, masked: null, survivors: null, heardAtMs: 0 };
    const state: State = { terms, own, cipherSecret, maskSecret, publicKeys, ...empty };
    this.touch(state);
    this.forget();
    return state;
  }

  /** Moves a run to the end: the one that was not heard of for longest comes first. */
  private touch(state: State): void {
    const { runId } = state.terms;
    state.heardAtMs = this.nowMs();
    this.runs.delete(runId);
    this.runs.set(runId, state);
  }

  private forget(): void {
    for (const [runId, { heardAtMs }] of this.runs) {
      if (this.runs.size > RUNS_MAX || heardAtMs + REMEMBERED_MS <= this.nowMs()) this.runs.delete(runId);
    }
  }
}

export interface Maskable {
  /** The masked words of a change, as bytes. */
  mask(change: Change, weight: number): Uint8Array;
}

const maskable = (state: State, limit: number): Maskable => ({
  mask: (change, weight) => mask(state, change, Math.min(weight, limit)),
});

const sameTerms = (a: Terms, b: Terms): boolean => base64(transcriptOf(a, [])) === base64(transcriptOf(b, []));

function checkEnough(count: number, { threshold }: Terms, path: string): void {
  if (count >= threshold) return;
  throw invalid("too_few", `${count} are fewer than this round needs (${threshold})`, path);
}

function checkKeys({ terms, own, publicKeys }: State, keys: readonly PublicKeys[]): void {
  const mine = keys.find(({ participant }) => participant === own);
  const isMine =
    base64(mine?.cipherKey ?? new Uint8Array()) === base64(publicKeys.cipherKey) &&
    base64(mine?.maskKey ?? new Uint8Array()) === base64(publicKeys.maskKey);
  if (!isMine) throw conflict("round_conflict", "the keys of this participant are not the ones it gave");
  if (keys.some(({ participant }) => !terms.participants.includes(participant))) {
    throw invalid("wrong_type", "keys must be of participants of this round", "keys");
  }
  const all = keys.flatMap(({ cipherKey, maskKey }) => [base64(cipherKey), base64(maskKey)]);
  if (new Set(all).size !== all.length) throw invalid("bad_key", "a key stands twice", "keys");
  checkEnough(keys.length, terms, "keys");
}

/** Where the group has a secret, keys count that are vouched for by it: nobody else's can be slipped in. */
function checkProofs(terms: Terms, keys: readonly PublicKeys[], secret: string | null): void {
  if (secret === null) return;
  for (const one of keys) {
    const expected = base64(proofOf(secret, transcriptOf(terms, [one])));
    if (one.proof !== undefined && base64(one.proof) === expected) continue;
    throw invalid("bad_key", `the keys of ${one.participant} are not vouched for by the group's secret`, "keys");
  }
}

/** Splits both secrets among all whose keys are known, and seals each one's shares for it alone. */
function share(state: State, keys: readonly PublicKeys[], transcript: Uint8Array): Shared {
  const { terms, own, cipherSecret, maskSecret } = state;
  const names = keys.map(({ participant }) => participant);
  const places = names.map((name) => terms.participants.indexOf(name) + 1);
  const selfSeed = randomSource.bytes(SECRET_BYTES);
  const keyShares = splitSecret(maskSecret, terms.threshold, places);
  const seedShares = splitSecret(selfSeed, terms.threshold, places);
  const pairs = names.map((_, at) => ({ key: keyShares[at] as Uint8Array, seed: seedShares[at] as Uint8Array }));
  const shares = keys.flatMap(({ participant, cipherKey }, at) => {
    if (participant === own) return [];
    const agreed = agreeWith(cipherSecret, cipherKey, participant);
    const { key, seed } = pairs[at] as Pair;
    const sealed = seal(Buffer.concat([key, seed]), { agreed, transcript, from: own, to: participant });
    return [{ participant, share: base64(sealed) }];
  });
  return {
    keys: new Map(keys.map((one) => [one.participant, one])),
    transcript,
    selfSeed,
    own: pairs[names.indexOf(own)] as Pair,
    answer: { shares, commitment: base64(commitmentOf(selfSeed, transcript)) },
  };
}

function open({ own, cipherSecret, shared }: State, from: string, sealed: Uint8Array): Pair {
  const { keys, transcript } = shared as Shared;
  const agreed = agreeWith(cipherSecret, (keys.get(from) as PublicKeys).cipherKey, from);
  const plain = unseal(sealed, { agreed, transcript, from, to: own });
  if (plain === null)
    throw invalid("bad_share", `the share from ${from} was not made by it for this participant`, "shares");
  return { key: plain.slice(0, SHARE_BYTES), seed: plain.slice(SHARE_BYTES) };
}

function mask(state: State, change: Change, weight: number): Uint8Array {
  const { terms, own, maskSecret, shared, received } = state;
  const { keys, transcript, selfSeed } = shared as Shared;
  const words = toWords(change, Math.min(weight, terms.maxWeight), terms);
  const digest = createHash("sha256").update(bytesOf(words)).digest("hex");
  if (state.masked !== null && state.masked !== digest) {
    throw conflict("round_conflict", "another update was masked in this round; the difference would show");
  }
  state.masked = digest;
  addMask(words, selfSeed, 1);
  for (const name of (received as Received).keys()) {
    if (name === own) continue;
    const agreed = agreeWith(maskSecret, (keys.get(name) as PublicKeys).maskKey, name);
    addMask(words, pairSeed(agreed, transcript), own < name ? 1 : -1);
  }
  return bytesOf(words);
}

function agreeWith(secret: Uint8Array, key: Uint8Array, name: string): Uint8Array {
  const agreed = agree(secret, key);
  if (agreed === null) throw invalid("bad_key", `the key of ${name} is none`, "keys");
  return agreed;
}
