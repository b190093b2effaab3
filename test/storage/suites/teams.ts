import { describe, expect, test } from "bun:test";
import type { Team } from "../../../src/accounts/records.ts";
import { AT, newKey, newTeam, unique } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

const UNLIMITED = { budget: null, budgetWindow: null, rpmLimit: null, tpmLimit: null };

/** Everything that was added to a team's name, with values at the edges. */
const LIMITED: Partial<Team> = {
  budget: 2n ** 63n - 1n,
  softBudget: 1n,
  budgetWindow: "week",
  rpmLimit: 2 ** 31 - 1,
  tpmLimit: 0,
  parallelLimit: 7,
  modelAliases: { größe: "echo", __proto__x: "b" },
  guardrails: ["personal data"],
  tags: ["a", 'b"'],
  metadata: { nested: { list: [1, null] } },
};

export function teamSuite(bench: StoreBench): void {
  describe("teams", () => {
    test("a team is found as it was stored, blocked or not", async () => {
      const team = await bench.storedTeam();
      expect(await bench.stores.teams.find(team.id)).toEqual(team);
      const blocked = await bench.storedTeam({
        status: "blocked",
        blockedReason: "balance",
        models: ["gpt-4o", 'a "quoted" one', "größe-🚀"],
        ...LIMITED,
      });
      expect(await bench.stores.teams.find(blocked.id)).toEqual(blocked);
      expect(await bench.stores.teams.find("team_none")).toBeNull();
    });

    test("a name is taken once in an organization, and again in another", async () => {
      const team = await bench.storedTeam();
      const { organizationId, name } = team;
      expect(await rejection(bench.storedTeam({ organizationId, name }))).toMatchObject({ kind: "conflict" });
      await bench.storedTeam({ name });
      const second = await bench.storedTeam({ organizationId });
      expect(await rejection(bench.stores.teams.update(second.id, { name }))).toMatchObject({ kind: "conflict" });
    });

    test("of many teams with one name at once one wins, the others are conflicts", async () => {
      const { id } = await bench.storedOrganization();
      const teams = Array.from({ length: 8 }, () => newTeam(id, { name: "wanted" }));
      const results = await Promise.allSettled(teams.map((team) => bench.stores.teams.insert(team)));
      const refused = results.filter((result) => result.status === "rejected");
      expect(refused.map(({ reason }) => reason.kind)).toEqual(Array(7).fill("conflict"));
      expect(await bench.stores.teams.list(id)).toHaveLength(1);
    });

    test("an update changes what it names and nothing else", async () => {
      const { teams } = bench.stores;
      const [team, other] = [await bench.storedTeam(), await bench.storedTeam()];
      const changes = {
        name: "New",
        status: "blocked",
        blockedReason: "admin",
        models: ["a", "b"],
        ...LIMITED,
        updatedAt: AT + 9,
      } as const;
      await teams.update(team.id, changes);
      expect(await teams.find(team.id)).toEqual({ ...team, ...changes });
      await teams.update(team.id, { models: [], blockedReason: null });
      await teams.update(team.id, {});
      const cleared = { ...team, ...changes, models: [], blockedReason: null };
      expect(await teams.find(team.id)).toEqual(cleared);
      await teams.update(team.id, { ...cleared, organizationId: other.organizationId, createdAt: 1 } as Team);
      expect(await teams.find(team.id)).toEqual(cleared);
      expect(await teams.find(other.id)).toEqual(other);
    });

    test("the list is by name, with how many members and keys each has", async () => {
      const { id: organizationId } = await bench.storedOrganization();
      const [zebra, apple] = [
        await bench.storedTeam({ organizationId, name: "Zebra", models: ["a"] }),
        await bench.storedTeam({ organizationId, name: "apple" }),
      ];
      await bench.storedTeam();
      for (const _ of [1, 2]) {
        const { id: userId } = await bench.storedUser();
        await bench.stores.teamMembers.insert({ teamId: zebra.id, userId, role: "member", joinedAt: AT });
      }
      for (const _ of [1, 2, 3]) await bench.stores.keys.insert(newKey(zebra.id));
      expect(await bench.stores.teams.list(organizationId)).toEqual([
        { team: apple, membersCount: 0, keysCount: 0 },
        { team: zebra, membersCount: 2, keysCount: 3 },
      ]);
      expect(await bench.stores.teams.list("org_none")).toEqual([]);
    });
  });

  describe("the search of teams", () => {
    test("is among the named ones, the oldest first, in pages, by a part of the name", async () => {
      const mark = unique("Searched");
      const made = [
        await bench.storedTeam({ name: `${mark} z`, createdAt: AT + 2, ...LIMITED }),
        await bench.storedTeam({ name: `${mark} a`, createdAt: AT + 1 }),
        await bench.storedTeam({ createdAt: AT }),
      ];
      const [late, early, unnamed] = made.map((team) => ({ team, membersCount: 0, keysCount: 0 }));
      const ids = made.map(({ id }) => id);
      const { teams } = bench.stores;
      expect(await teams.search({ ids }, { page: 1, pageSize: 2 })).toEqual({
        rows: [unnamed, early] as never,
        total: 3,
      });
      expect(await teams.search({ ids }, { page: 2, pageSize: 2 })).toEqual({ rows: [late] as never, total: 3 });
      const search = mark.toUpperCase();
      expect(await teams.search({ ids: null, search }, { page: 1, pageSize: 9 })).toEqual({
        rows: [early, late] as never,
        total: 2,
      });
      expect(await teams.search({ ids: [] }, { page: 1, pageSize: 9 })).toEqual({ rows: [], total: 0 });
      const all = await teams.search({ ids: null }, { page: 1, pageSize: 1000 });
      expect(all.total).toBe(all.rows.length);
    });
  });

  describe("members of a team", () => {
    test("a member is found as it was stored, and added once", async () => {
      const { id: teamId } = await bench.storedTeam();
      const { id: userId } = await bench.storedUser();
      const member = { teamId, userId, role: "admin", joinedAt: AT, ...UNLIMITED } as const;
      const { teamMembers } = bench.stores;
      await teamMembers.insert(member);
      expect(await teamMembers.find(teamId, userId)).toEqual(member);
      expect(await teamMembers.find(teamId, 987_654)).toBeNull();
      expect(await teamMembers.find("team_none", userId)).toBeNull();
      expect(await rejection(teamMembers.insert({ ...member, role: "member" }))).toMatchObject({ kind: "conflict" });
    });

    test("a member's role and limits are changed for that member alone", async () => {
      const { id: teamId } = await bench.storedTeam();
      const [user, colleague] = [await bench.storedUser(), await bench.storedUser()];
      const { teamMembers } = bench.stores;
      const limits = { budget: 5n, budgetWindow: "day", rpmLimit: 1, tpmLimit: 2 } as const;
      const member = { teamId, role: "member", joinedAt: AT } as const;
      await teamMembers.insert({ ...member, userId: user.id, ...limits });
      await teamMembers.insert({ ...member, userId: colleague.id });
      expect(await teamMembers.find(teamId, user.id)).toEqual({ ...member, userId: user.id, ...limits });
      await teamMembers.update(teamId, user.id, { role: "admin", budget: 2n ** 60n });
      await teamMembers.update(teamId, user.id, { rpmLimit: null });
      await teamMembers.update(teamId, user.id, {});
      const after = {
        ...member,
        userId: user.id,
        ...limits,
        role: "admin",
        budget: 2n ** 60n,
        rpmLimit: null,
      } as const;
      expect(await teamMembers.find(teamId, user.id)).toEqual(after);
      expect(await teamMembers.find(teamId, colleague.id)).toEqual({ ...member, userId: colleague.id, ...UNLIMITED });
    });

    test("who is removed from a team stays in the others, and the others in it", async () => {
      const [one, two] = [await bench.storedTeam(), await bench.storedTeam()];
      const [user, colleague] = [await bench.storedUser(), await bench.storedUser()];
      const { teamMembers } = bench.stores;
      for (const { id: teamId } of [one, two]) {
        for (const { id: userId } of [user, colleague]) {
          await teamMembers.insert({ teamId, userId, role: "member", joinedAt: AT });
        }
      }
      await teamMembers.remove(one.id, user.id);
      expect(await teamMembers.find(one.id, user.id)).toBeNull();
      expect(await teamMembers.find(two.id, user.id)).not.toBeNull();
      expect(await teamMembers.find(one.id, colleague.id)).not.toBeNull();
    });

    test("the list is by name and shows who they are", async () => {
      const { id: teamId } = await bench.storedTeam();
      const users = [await bench.storedUser({ name: "Zoe" }), await bench.storedUser({ name: "anna" })];
      for (const { id: userId } of users) {
        await bench.stores.teamMembers.insert({ teamId, userId, role: "member", joinedAt: AT + userId });
      }
      const expected = users.toReversed().map(({ id, email, name }) => ({
        userId: id,
        externalId: null,
        email,
        name,
        role: "member" as const,
        joinedAt: AT + id,
        ...UNLIMITED,
      }));
      expect(await bench.stores.teamMembers.list(teamId)).toEqual(expected);
      expect(await bench.stores.teamMembers.list("team_none")).toEqual([]);
    });

    test("those of many teams are listed at once, each with its team", async () => {
      const [one, two, empty] = [await bench.storedTeam(), await bench.storedTeam(), await bench.storedTeam()];
      const other = await bench.storedTeam();
      const [zoe, anna] = [await bench.storedUser({ name: "Zoe" }), await bench.storedUser({ name: "anna" })];
      const { teamMembers } = bench.stores;
      for (const [teamId, userId] of [
        [one.id, zoe.id],
        [two.id, anna.id],
        [two.id, zoe.id],
        [other.id, anna.id],
      ] as const) {
        await teamMembers.insert({ teamId, userId, role: "member", joinedAt: AT });
      }
      const listed = await teamMembers.listOf([one.id, two.id, empty.id]);
      const inTeam = (teamId: string) => listed.filter((member) => member.teamId === teamId).map(({ name }) => name);
      expect([inTeam(one.id), inTeam(two.id), inTeam(empty.id)]).toEqual([["Zoe"], ["anna", "Zoe"], []]);
      expect(listed).toHaveLength(3);
      expect(await teamMembers.listOf([])).toEqual([]);
    });

    test("the teams of a user are those of one organization", async () => {
      const mine = await bench.storedTeam();
      const { organizationId } = mine;
      const [alsoMine, notMine] = [
        await bench.storedTeam({ organizationId }),
        await bench.storedTeam({ organizationId }),
      ];
      const elsewhere = await bench.storedTeam();
      const [user, other] = [await bench.storedUser(), await bench.storedUser()];
      const { teamMembers } = bench.stores;
      for (const { id: teamId } of [mine, alsoMine, elsewhere]) {
        await teamMembers.insert({ teamId, userId: user.id, role: "admin", joinedAt: AT });
      }
      await teamMembers.insert({ teamId: notMine.id, userId: other.id, role: "member", joinedAt: AT });
      expect(await teamMembers.listTeamsOf(organizationId, user.id)).toEqual(
        [mine.id, alsoMine.id]
          .sort()
          .map((teamId) => ({ teamId, userId: user.id, role: "admin", joinedAt: AT, ...UNLIMITED })),
      );
      expect(await teamMembers.listTeamsOf("org_none", user.id)).toEqual([]);
    });
  });
}
