import { expect, test } from "bun:test";
import { newKeyRecord } from "./key-record.ts";
import { isSameTeam, toCaller, toKnownTeam } from "./key-standing.ts";
import { newOrganizationRecord } from "./organization-record.ts";
import type { KeyStanding } from "./store.ts";
import { newTeamRecord } from "./team-record.ts";

const UNPAID = { budget: null, budgetWindow: null };
const PLAIN: KeyStanding = {
  key: { ...newKeyRecord({ key: "", hash: "", teamId: "t1", name: "Key", createdBy: 9, now: 0 }), id: "k1" },
  team: { ...newTeamRecord("o1", "Team", 0), id: "t1" },
  organization: newOrganizationRecord(1, "Organization", 0),
  member: null,
  user: null,
};
const NONE = { rpm: null, tpm: null, parallel: null, models: null };

test("a caller has the rates of its organization, team, maker and key, the widest first", () => {
  const row: KeyStanding = {
    key: { ...PLAIN.key, tpmLimit: 9, modelLimits: { fast: { rpm: 1 } } },
    team: { ...PLAIN.team, rpmLimit: 3 },
    organization: { ...PLAIN.organization, parallelLimit: 4 },
    member: { ...UNPAID, rpmLimit: 2, tpmLimit: 20 },
    user: { ...UNPAID, rpmLimit: null, tpmLimit: 7, parallelLimit: null, models: [], furtherBudgets: [] },
  };
  expect(toCaller(row, toKnownTeam(row)).limits as unknown).toEqual([
    { ...NONE, scope: "organization", id: "o1", parallel: 4 },
    { ...NONE, scope: "team", id: "t1", rpm: 3 },
    { ...NONE, scope: "user", id: "9", tpm: 7 },
    { ...NONE, scope: "member", id: "t1/9", rpm: 2, tpm: 20 },
    { ...NONE, scope: "key", id: "k1", tpm: 9, models: { fast: { rpm: 1 } } },
  ]);
});

test("keys without rates of their own share the list of their team", () => {
  const team = toKnownTeam({ ...PLAIN, team: { ...PLAIN.team, rpmLimit: 3 } });
  expect(toCaller(PLAIN, team).limits).toBe(team.limits);
  expect(toCaller(PLAIN, toKnownTeam(PLAIN)).limits).toEqual([]);
});

test("a team whose rates have changed is not the same", () => {
  const [before, after] = [3, 4].map((rpmLimit) => toKnownTeam({ ...PLAIN, team: { ...PLAIN.team, rpmLimit } }));
  if (!before || !after) throw new Error("not made");
  expect(isSameTeam(before, before)).toBe(true);
  expect(isSameTeam(before, after)).toBe(false);
});
