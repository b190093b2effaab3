// Writes ../secagg-group.json: participants that share a secret, and keys that are not vouched for by it.
// Run it with Bun after the protocol has changed on purpose, as write-cases.ts.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomSource } from "../../typescript/src/secagg/random-source.ts";
import { SecureRounds } from "../../typescript/src/secagg/secure-rounds.ts";

const NAMES = ["a", "b", "c"];
const OWN = "b";
const SECRET = "known to a, b and c alone";
const name = { run_id: "group", round: 1, attempt: 1 };
const terms = { ...name, participants: NAMES, threshold: 3, clip: 8, max_weight: 4 };
const fields = (value: object) => new Map(Object.entries(value));

let draws = 0;
const from = (member: string) => {
  draws = 0;
  randomSource.bytes = (count) => {
    const hash = createHash("shake256", { outputLength: count }).update(`${member}:${draws++}`);
    return new Uint8Array(hash.digest());
  };
};
const rounds = new Map(NAMES.map((member) => [member, new SecureRounds(Date.now, () => SECRET)]));
const keys = ["a", "c", OWN].map((member) => {
  from(member);
  const answer = (rounds.get(member) as SecureRounds).keys(fields({ ...terms, participant: member }));
  return { participant: member, ...answer };
});
keys.sort((one, other) => (one.participant < other.participant ? -1 : 1));
const shares = (rounds.get(OWN) as SecureRounds).shares(fields({ ...name, keys }));

const own = keys.find(({ participant }) => participant === OWN);
const changed = (change: object) => keys.map((one) => (one.participant === "c" ? { ...one, ...change } : one));
const ask = (path: string, json: unknown, response: object) => ({
  request: { method: "POST", path, json },
  response,
});
const error = "the keys of c are not vouched for by the group's secret";
const refused = {
  status: 400,
  failure: { error, code: "VALIDATION_ERROR", reason: "bad_key", details: [{ path: "keys", message: error }] },
};
const { participant: _, ...ownKeys } = own ?? { participant: OWN };
const file = {
  about: "Secure aggregation among participants that share a secret, which the coordinator does not know.",
  participant: { randomness: OWN, group_secret: SECRET },
  cases: [
    {
      name: "keys count that are vouched for, and no others",
      steps: [
        ask("/secagg/keys", { ...terms, participant: OWN }, { status: 200, json: ownKeys }),
        ask("/secagg/shares", { ...name, keys: changed({ proof: null }) }, refused),
        ask("/secagg/shares", { ...name, keys: changed({ proof: keys[0]?.proof }) }, refused),
        ask("/secagg/shares", { ...name, keys: changed({ mask_key: keys[0]?.proof }) }, refused),
        ask("/secagg/shares", { ...name, keys }, { status: 200, json: shares }),
      ],
    },
    {
      name: "info says so",
      request: { method: "GET", path: "/info" },
      response: { status: 200, includes: { secure_aggregation: { version: 1, only: false, group_secret: true } } },
    },
  ],
};
writeFileSync(join(import.meta.dir, "../secagg-group.json"), `${JSON.stringify(file, null, 2)}\n`);
