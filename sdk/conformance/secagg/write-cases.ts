// Writes ../secagg.json: a whole secure round with fixed randomness, and everything that a participant refuses on the way.
// Run it with Bun after the protocol has changed on purpose; both SDKs then have to give these bytes.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../typescript/src/failure.ts";
import { float32, writeSafetensors } from "../../typescript/src/index.ts";
import { randomSource } from "../../typescript/src/secagg/random-source.ts";
import { SecureRounds } from "../../typescript/src/secagg/secure-rounds.ts";
import type { Step } from "../case-file.ts";

const NAMES = ["a", "b", "c", "d"];
/** The one that the cases speak to. */
const OWN = "b";
const name = { run_id: "sum", round: 1, attempt: 1 };
const terms = { ...name, participants: NAMES, threshold: 3, clip: 8, max_weight: 4 };
const fields = (value: object) => new Map(Object.entries(value));

/** Every member has randomness of its own, as the conformance model makes it. */
const draws = new Map<string, number>();
function as<T>(member: string, work: () => T): T {
  randomSource.bytes = (count) => {
    const number = draws.get(member) ?? 0;
    draws.set(member, number + 1);
    const hash = createHash("shake256", { outputLength: count }).update(`${member}:${number}`);
    return new Uint8Array(hash.digest());
  };
  return work();
}

const members = new Map(NAMES.map((member) => [member, new SecureRounds()]));
const all = <T>(work: (rounds: SecureRounds, member: string) => T): Map<string, T> =>
  new Map([...members].map(([member, rounds]) => [member, as(member, () => work(rounds, member))]));

const keyAnswers = all((rounds, member) => rounds.keys(fields({ ...terms, participant: member })));
const keys = [...keyAnswers].map(([participant, answer]) => ({ participant, ...answer }));
const zero = Buffer.alloc(32).toString("base64");
const noKey = keys.map((one) => (one.participant === "c" ? { ...one, cipher_key: zero } : one));
try {
  // It is asked for these first, and draws for them.
  as(OWN, () => (members.get(OWN) as SecureRounds).shares(fields({ ...name, keys: noKey })));
  throw new Error("a key of low order was taken");
} catch (thrown) {
  if (!(thrown instanceof Failure)) throw thrown;
}
const shareAnswers = all((rounds) => rounds.shares(fields({ ...name, keys })));
const sharesFor = (member: string) =>
  [...shareAnswers].flatMap(([participant, { shares }]) =>
    shares.filter((one) => one.participant === member).map(({ share }) => ({ participant, share })),
  );
const shares = sharesFor(OWN);
// The model's "tensors" are w = [1, 2] and ünit = [[0.5]].
const base = writeSafetensors(
  new Map([
    ["w", float32([0.25, 10])],
    ["ünit", float32([0.5], [1, 1])],
  ]),
);
const masked = all((rounds, member) =>
  rounds.receive(fields({ ...name, shares: sharesFor(member) })).mask({ length: 3, pieces: [[0.75, -8, 0]] }, 1),
);
const survivors = ["a", "b", "c"];
const unmasked = as(OWN, () => (members.get(OWN) as SecureRounds).unmask(fields({ ...name, survivors })));

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const ask = (path: string, json: unknown, response: Step["response"]): Step => ({
  request: { method: "POST", path, json },
  response: response as NonNullable<Step["response"]>,
});
const refused = (status: number, reason: string, error: string, path?: string) => ({
  status,
  failure: {
    error,
    code: status === 403 ? "FORBIDDEN" : "VALIDATION_ERROR",
    reason,
    ...(path === undefined ? {} : { details: [{ path, message: error }] }),
  },
});
const update = { ...name, shares, parameters: base64(base), dataset: { do: "tensors" } };
const ownMasked = base64(masked.get(OWN) as Uint8Array);
const tampered = shares.map((one, at) => (at === 1 ? { ...one, share: `AAAA${one.share.slice(4)}` } : one));
const otherKeys = keys.map((one) => (one.participant === OWN ? { ...one, mask_key: keys[0]?.cipher_key } : one));
const twice = keys.map((one) => (one.participant === "c" ? { ...one, mask_key: keys[0]?.mask_key } : one));
const unknown = "this participant has not begun that round; it may have been started again since";
const without = (entries: readonly { participant: string }[], ...left: string[]) =>
  entries.filter(({ participant }) => !left.includes(participant));

const whole: Step[] = [
  ask("/secagg/shares", { ...name, keys }, refused(409, "unknown_round", unknown)),
  ask("/secagg/keys", { ...terms, participant: OWN }, { status: 200, json: keyAnswers.get(OWN) }),
  ask("/secagg/keys", { ...terms, participant: OWN }, { status: 200, json: keyAnswers.get(OWN) }),
  ask(
    "/secagg/keys",
    { ...terms, clip: 4, participant: OWN },
    refused(409, "round_conflict", "this attempt was begun with other terms"),
  ),
  ask("/secagg/masked", update, refused(409, "phase", "keys and shares come first")),
  ask(
    "/secagg/shares",
    { ...name, keys: otherKeys },
    refused(409, "round_conflict", "the keys of this participant are not the ones it gave"),
  ),
  ask(
    "/secagg/shares",
    { ...name, keys: without(keys, "a", "d") },
    refused(400, "too_few", "2 are fewer than this round needs (3)", "keys"),
  ),
  ask("/secagg/shares", { ...name, keys: twice }, refused(400, "bad_key", "a key stands twice", "keys")),
  ask("/secagg/shares", { ...name, keys: noKey }, refused(400, "bad_key", "the key of c is none", "keys")),
  ask(
    "/secagg/shares",
    { ...name, keys: [...keys].reverse() },
    refused(400, "wrong_type", "keys must be of plain names in ascending order, each once", "keys"),
  ),
  ask(
    "/secagg/shares",
    { ...name, keys: keys.map((one) => ({ ...one, cipher_key: "QUJD" })) },
    refused(400, "wrong_type", "keys[0].cipher_key must be base64 of 32 bytes", "keys[0].cipher_key"),
  ),
];
const rest: Step[] = [
  ask("/secagg/unmask", { ...name, survivors }, refused(409, "phase", "nothing was masked in this round")),
  ask(
    "/secagg/masked",
    { ...update, shares: without(shares, "c", "d") },
    refused(400, "too_few", "2 are fewer than this round needs (3)", "shares"),
  ),
  ask(
    "/secagg/masked",
    { ...update, shares: tampered },
    refused(400, "bad_share", "the share from c was not made by it for this participant", "shares"),
  ),
  ask(
    "/secagg/masked",
    { ...update, shares: [...shares, { participant: "e", share: shares[0]?.share }] },
    refused(400, "wrong_type", "shares must come from others whose keys are known", "shares"),
  ),
  ask(
    "/secagg/masked",
    { ...update, parameters: null },
    refused(400, "missing_field", "a change is summed: there must be parameters to change", "parameters"),
  ),
  ask(
    "/secagg/masked",
    { ...update, dataset: { do: "return", value: "no bytes" } },
    { status: 500, includes: { reason: "invalid_result" } },
  ),
  ask("/secagg/masked", update, { status: 200, json: { parameters: ownMasked } }),
  {
    request: {
      method: "POST",
      path: "/secagg/masked",
      headers: { accept: "application/octet-stream" },
      multipart: [
        ["meta", JSON.stringify({ ...name, shares, dataset: { do: "tensors" } })],
        ["parameters", { base64: base64(base) }],
      ],
    },
    response: { status: 200, headers: { "content-type": "application/octet-stream" }, base64: ownMasked },
  },
  ask(
    "/secagg/masked",
    { ...update, shares: without(shares, "d") },
    refused(409, "round_conflict", "shares of others were taken in this round"),
  ),
  ask(
    "/secagg/masked",
    { ...update, max_examples: 0 },
    refused(409, "round_conflict", "another update was masked in this round; the difference would show"),
  ),
  ask(
    "/secagg/unmask",
    { ...name, survivors: ["a", "b"] },
    refused(400, "too_few", "2 are fewer than this round needs (3)", "survivors"),
  ),
  ask(
    "/secagg/unmask",
    { ...name, survivors: ["a", "c", "d"] },
    refused(400, "wrong_type", "survivors must be of this round, this participant among them", "survivors"),
  ),
  ask(
    "/secagg/unmask",
    { ...name, survivors: ["a", "b", "e"] },
    refused(400, "wrong_type", "survivors must be of this round, this participant among them", "survivors"),
  ),
  ask("/secagg/unmask", { ...name, survivors }, { status: 200, json: unmasked }),
  ask("/secagg/unmask", { ...name, survivors }, { status: 200, json: unmasked }),
  ask(
    "/secagg/unmask",
    { ...name, survivors: NAMES },
    refused(409, "already_unmasked", "shares were given for another list of survivors in this round"),
  ),
  ask(
    "/secagg/keys",
    { ...terms, attempt: 2, participant: OWN },
    refused(409, "already_unmasked", "shares were given in an earlier attempt at this round"),
  ),
  ask(
    "/secagg/keys",
    { ...terms, attempt: 0, participant: OWN },
    refused(409, "round_passed", "a later round or attempt of this run was begun"),
  ),
  ask(
    "/train",
    { run_id: "sum", round: 1, parameters: base64(base), dataset: { do: "tensors" } },
    refused(403, "secure_only", "updates are given away by secure aggregation only"),
  ),
  ask("/secagg/keys", { ...terms, round: 2, participant: OWN }, { status: 200 }),
  ask(
    "/secagg/unmask",
    { ...name, survivors },
    refused(409, "round_passed", "a later round or attempt of this run was begun"),
  ),
  ask("/secagg/shares", { ...name, round: 3, keys }, refused(409, "unknown_round", unknown)),
  ask("/secagg/keys", { ...terms, round: 2, attempt: 7, participant: OWN }, { status: 200 }),
];
const shared: Step[] = [
  ask("/secagg/shares", { ...name, keys }, { status: 200, json: shareAnswers.get(OWN) }),
  ask("/secagg/shares", { ...name, keys }, { status: 200, json: shareAnswers.get(OWN) }),
  ask(
    "/secagg/shares",
    { ...name, keys: without(keys, "d") },
    refused(409, "round_conflict", "shares were made for other keys in this round"),
  ),
];

const bad = { ...terms, run_id: "refused", participant: OWN };
const TERMS: ReadonlyArray<readonly [what: string, change: object, reason: string, error: string, path: string]> = [
  [
    "two participants",
    { participants: ["a", "b"], threshold: 2 },
    "too_few",
    "fewer than 3 participants hide nobody",
    "participants",
  ],
  ["a threshold of half", { threshold: 2 }, "weak_threshold", "threshold must be from 3 to 4", "threshold"],
  ["a threshold of more than all", { threshold: 5 }, "weak_threshold", "threshold must be from 3 to 4", "threshold"],
  [
    "more than can be summed",
    { participants: Array.from({ length: 1025 }, (_, at) => `b${String(at).padStart(4, "0")}`), participant: "b0000" },
    "too_many",
    "more than 1024 participants cannot be summed",
    "participants",
  ],
  [
    "somebody else's terms",
    { participant: "e" },
    "wrong_type",
    "participant must be one of participants",
    "participant",
  ],
  [
    "names out of order",
    { participants: ["b", "a", "c", "d"] },
    "wrong_type",
    "participants must be of plain names in ascending order, each once",
    "participants",
  ],
  [
    "a name twice",
    { participants: ["a", "b", "b", "c"] },
    "wrong_type",
    "participants must be of plain names in ascending order, each once",
    "participants",
  ],
  [
    "a name that is not plain",
    { participants: ["a", "b", "c", "d e"] },
    "wrong_type",
    "participants must be of plain names in ascending order, each once",
    "participants",
  ],
  [
    "names that are none",
    { participants: "abcd" },
    "wrong_type",
    "participants must be an array of names",
    "participants",
  ],
  ["no clip", { clip: null }, "missing_field", "clip is missing", "clip"],
  ["a clip of zero", { clip: 0 }, "wrong_type", "clip must be a number above zero", "clip"],
  [
    "a weight that does not fit",
    { max_weight: 4194304 },
    "wrong_type",
    "max_weight must be at most 4194303",
    "max_weight",
  ],
  [
    "a run without a name",
    { run_id: "" },
    "wrong_type",
    "run_id must be a plain name of at most 128 characters",
    "run_id",
  ],
  [
    "an attempt that is no count",
    { attempt: 1.5 },
    "wrong_type",
    "attempt must be an integer of at least 0",
    "attempt",
  ],
  ["a round that is missing", { round: null }, "missing_field", "round is missing", "round"],
];

const file = {
  about: "Secure aggregation: one whole round with fixed randomness, and what is refused on the way.",
  participant: { randomness: OWN },
  cases: [
    { name: "a whole round, byte for byte", steps: [...whole, ...shared, ...rest] },
    ...TERMS.map(([what, change, reason, error, path]) => ({
      name: `${what} is refused`,
      request: { method: "POST", path: "/secagg/keys", json: { ...bad, ...change } },
      response: refused(400, reason, error, path),
    })),
    {
      name: "keys are asked for by POST",
      request: { method: "GET", path: "/secagg/keys" },
      response: { status: 405, headers: { allow: "POST, OPTIONS" }, includes: { reason: "method" } },
    },
    {
      name: "a body of bytes says nothing here",
      request: {
        method: "POST",
        path: "/secagg/masked",
        headers: { "content-type": "application/octet-stream" },
        base64: "QUJD",
      },
      response: refused(415, "content_type", "/secagg/masked takes JSON or multipart/form-data"),
    },
    {
      name: "keys are JSON and nothing else",
      request: { method: "POST", path: "/secagg/keys", headers: { accept: "application/octet-stream" }, json: bad },
      response: { status: 406, includes: { reason: "not_acceptable" } },
    },
  ],
};
writeFileSync(join(import.meta.dir, "../secagg.json"), `${JSON.stringify(file, null, 2)}\n`);
