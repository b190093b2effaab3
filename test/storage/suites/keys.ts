import { describe, expect, test } from "bun:test";
import type { ApiKey } from "../../../src/accounts/records.ts";
import { AT, newKey, unique } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

const MOST = 2n ** 63n - 1n;

/** Everything that can be set, with values at the edges. */
const FULL: Partial<ApiKey> = {
  name: 'Größe 🚀 "quoted" \\',
  previousUntil: AT + 77,
  last4: "ZZZZ",
  status: "disabled",
  models: ["gpt-4o", 'a "quoted" one', "模型"],
  budget: MOST,
  budgetWindow: "month",
  rpmLimit: 0,
  tpmLimit: 2 ** 31 - 1,
  parallelLimit: 3,
  softBudget: MOST - 1n,
  modelLimits: { "größe/模型": { rpm: 0, tpm: 2 ** 31 }, other: { rpm: 1 } },
  aliases: { 'my "own"': "gpt-4o" },
  allowedIps: ["10.0.0.0/8", "2001:db8::/32"],
  guardrails: ["personal data", "a,b"],
  tags: ["größe", "", "a,b", "\u0000\ud800"],
  metadata: { nested: { list: [1, 2.5, null, true], ключ: "значение 🚀" }, empty: {}, camelCase: 1, snake_case: 2 },
  expiresAt: AT + 5,
  lastUsedAt: AT + 6,
};

export function keySuite(bench: StoreBench): void {
  async function storedKey(given: Partial<ApiKey> = {}): Promise<ApiKey> {
    const key = newKey(given.teamId ?? (await bench.storedTeam()).id, given);
    await bench.stores.keys.insert(key);
    return key;
  }

  describe("keys", () => {
    test("a key comes with its team, by its hash, its id and its handle", async () => {
      const team = await bench.storedTeam({
        status: "blocked",
        blockedReason: "admin",
        models: ["m"],
        budget: 1n,
        softBudget: 2n,
        budgetWindow: "day",
        rpmLimit: 3,
        tpmLimit: 4,
        parallelLimit: 5,
        modelAliases: { a: "b" },
        tags: ["t"],
        metadata: { c: 1 },
      });
      const createdBy = (await bench.storedUser()).id;
      const key = await storedKey({ ...FULL, teamId: team.id, createdBy, previousHash: unique("previous") });
      expect(await bench.stores.keys.findByHash(key.hash)).toMatchObject({ key, team });
      expect(await bench.stores.keys.find(key.id)).toEqual({ key, team });
      expect(await bench.stores.keys.find(key.handle)).toEqual({ key, team });
    });

    test("when keys were last used is noted for many at once, and never goes back", async () => {
      const { keys } = bench.stores;
      const [fresh, used, other] = [await storedKey(), await storedKey({ lastUsedAt: AT }), await storedKey()];
      await keys.noteUse([
        [fresh.id, AT + 1],
        [used.id, AT - 1],
        ["gone", AT],
      ]);
      const found = await Promise.all([fresh, used, other].map(({ id }) => keys.find(id)));
      expect(found.map((one) => one?.key.lastUsedAt)).toEqual([AT + 1, AT, other.lastUsedAt]);
      await keys.noteUse([]);
      await keys.noteUse([[used.id, AT + 2]]);
      expect((await keys.find(used.id))?.key.lastUsedAt).toBe(AT + 2);
    });

    test("a key comes by its hash with what its organization and its maker are allowed", async () => {
      const { stores } = bench;
      const team = await bench.storedTeam();
      await stores.organizations.update(team.organizationId, {
        billing: "invoiced",
        status: "blocked",
        timezone: "Asia/Kolkata",
        storePrompts: true,
        allowedIps: ["10.0.0.0/8"],
        models: ["fast", "beta"],
        budget: MOST,
        budgetWindow: "week",
        rpmLimit: 11,
        tpmLimit: 12,
        parallelLimit: 13,
      });
      const { id: userId } = await bench.storedUser();
      const limits = {
        budget: 5n,
        budgetWindow: null,
        rpmLimit: 21,
        tpmLimit: 22,
        parallelLimit: 23,
        models: ["fast"],
      };
      await stores.users.update(userId, limits);
      const key = await storedKey({ teamId: team.id, createdBy: userId });
      const found = await stores.keys.findByHash(key.hash);
      expect(found?.organization).toEqual({
        billing: "invoiced",
        status: "blocked",
        models: ["fast", "beta"],
        timezone: "Asia/Kolkata",
        storePrompts: true,
        allowedIps: ["10.0.0.0/8"],
        budget: MOST,
        budgetWindow: "week",
        rpmLimit: 11,
        tpmLimit: 12,
        parallelLimit: 13,
      });
      expect(found?.user).toEqual({ ...limits, furtherBudgets: [] });
      expect(found?.member).toBeNull();
      await stores.teamMembers.insert({
        teamId: team.id,
        userId,
        role: "member",
        joinedAt: AT,
        budget: 7n,
        budgetWindow: "hour",
        rpmLimit: 31,
        tpmLimit: null,
      });
      expect((await stores.keys.findByHash(key.hash))?.member).toEqual({
        budget: 7n,
        budgetWindow: "hour",
        rpmLimit: 31,
        tpmLimit: null,
      });
      const unowned = await storedKey({ teamId: team.id, createdBy: null });
      expect(await stores.keys.findByHash(unowned.hash)).toMatchObject({ user: null, member: null });
    });

    test("a key without limits, an end and a maker keeps its nulls", async () => {
      const key = await storedKey();
      expect((await bench.stores.keys.find(key.id))?.key).toEqual(key);
    });

    test("nothing else opens a key", async () => {
      const key = await storedKey({ previousHash: unique("previous") });
      for (const hash of ["no such hash", key.id, key.handle, key.hash.toUpperCase(), ""]) {
        expect(await bench.stores.keys.findByHash(hash)).toBeNull();
      }
      for (const reference of [key.hash, String(key.previousHash), "key_none", "", "%"]) {
        expect(await bench.stores.keys.find(reference)).toBeNull();
      }
    });

    test("a rotated key is found by both hashes, and by the later one only after the next rotation", async () => {
      const { keys } = bench.stores;
      const key = await storedKey();
      const [second, third] = [unique("second"), unique("third")];
      const rotated = { hash: second, previousHash: key.hash, previousUntil: AT + 60_000, handle: unique("handle") };
      await keys.update(key.id, rotated);
      for (const hash of [key.hash, second]) expect((await keys.findByHash(hash))?.key).toEqual({ ...key, ...rotated });
      await keys.update(key.id, { hash: third, previousHash: second });
      expect(await keys.findByHash(key.hash)).toBeNull();
      expect((await keys.findByHash(second))?.key.id).toBe(key.id);
      expect(await keys.find(key.handle)).toBeNull();
      expect((await keys.find(rotated.handle))?.key.id).toBe(key.id);
    });

    test("whose hash it is now goes before whose it was", async () => {
      const hash = unique("shared");
      await storedKey({ previousHash: hash });
      const present = await storedKey({ hash });
      expect((await bench.stores.keys.findByHash(hash))?.key.id).toBe(present.id);
    });

    test("a known id, hash, previous hash or handle is a conflict; having no previous hash is not", async () => {
      const key = await storedKey({ previousHash: unique("previous") });
      const { id, hash, previousHash, handle } = key;
      for (const taken of [{ id }, { hash }, { previousHash }, { handle }]) {
        expect(await rejection(storedKey(taken))).toMatchObject({ kind: "conflict" });
      }
      const other = await storedKey();
      expect(await rejection(bench.stores.keys.update(other.id, { handle }))).toMatchObject({ kind: "conflict" });
      await storedKey();
    });

    test("an update changes what it names and nothing else", async () => {
      const { keys } = bench.stores;
      const [key, other] = [await storedKey(), await storedKey()];
      await keys.update(key.id, { ...FULL, updatedAt: AT + 99 });
      const full = { ...key, ...FULL, updatedAt: AT + 99 };
      expect((await keys.find(key.id))?.key).toEqual(full);
      const cleared = {
        budget: null,
        budgetWindow: null,
        tpmLimit: null,
        models: [],
        guardrails: [],
        tags: [],
        metadata: {},
      } as const;
      await keys.update(key.id, cleared);
      await keys.update(key.id, {});
      expect((await keys.find(key.id))?.key).toEqual({ ...full, ...cleared });
      expect((await keys.find(other.id))?.key).toEqual(other);
    });

    test("an update with a whole record leaves the id, the team and the day of creation alone", async () => {
      const [key, other] = [await storedKey(), await bench.storedTeam()];
      const whole = { ...key, id: "key_other", teamId: other.id, createdAt: 1, name: "New" } as ApiKey;
      await bench.stores.keys.update(key.id, whole);
      expect((await bench.stores.keys.find(key.id))?.key).toEqual({ ...key, name: "New" });
    });

    test.each([MOST, -MOST, 2n ** 53n + 1n, 0n])("a budget of %p is exact", async (budget) => {
      const key = await storedKey({ budget, budgetWindow: "total" });
      expect((await bench.stores.keys.find(key.id))?.key.budget).toBe(budget);
    });

    test("metadata keeps keys that mean something to JavaScript, and pollutes nothing", async () => {
      const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":1}},"toString":"x"}';
      const key = await storedKey({ metadata: JSON.parse(text), tags: ["__proto__"] });
      const found = (await bench.stores.keys.find(key.id))?.key;
      expect(JSON.stringify(found?.metadata)).toBe(text);
      expect(Object.getPrototypeOf(found?.metadata)).toBe(Object.prototype);
      expect(found?.tags).toEqual(["__proto__"]);
      expect({}).not.toHaveProperty("polluted");
    });

    test("a budget window outside the list is refused by the database", async () => {
      const refused = storedKey({ budgetWindow: "year" as ApiKey["budgetWindow"] });
      expect(await rejection(refused)).toHaveProperty("message", expect.stringMatching(/check/i));
    });

    test("a key of a team that does not exist is refused", async () => {
      expect(await rejection(bench.stores.keys.insert(newKey("team_none")))).toHaveProperty(
        "message",
        expect.stringMatching(/foreign key/i),
      );
    });

    test("a removed key is gone, and no other", async () => {
      const key = await storedKey();
      const other = await storedKey({ teamId: key.teamId });
      await bench.stores.keys.remove(key.id);
      await bench.stores.keys.remove(key.id);
      expect(await bench.stores.keys.find(key.id)).toBeNull();
      expect(await bench.stores.keys.findByHash(key.hash)).toBeNull();
      expect((await bench.stores.keys.find(other.id))?.key).toEqual(other);
    });
  });
}
