import { describe, expect, test } from "bun:test";
import type { ApiKey } from "../../../src/accounts/records.ts";
import type { KeyFilter, KeyOrder } from "../../../src/accounts/store.ts";
import { AT, newKey, unique } from "../new-records.ts";
import type { StoreBench } from "../store-bench.ts";

const ALL = { page: 1, pageSize: 1000 };

export function keyListSuite(bench: StoreBench): void {
  async function storedKeys(teamId: string, given: readonly Partial<ApiKey>[]): Promise<readonly ApiKey[]> {
    const keys = given.map((fields, index) => newKey(teamId, { createdAt: AT + index, ...fields }));
    for (const key of keys) await bench.stores.keys.insert(key);
    return keys;
  }

  async function foundNames(filter: KeyFilter): Promise<readonly string[]> {
    const { rows, total } = await bench.stores.keys.list(filter, ALL);
    expect(total).toBe(rows.length);
    return rows.map((key) => key.name);
  }

  describe("the list of keys", () => {
    test("is of the named teams, the newest first, in pages", async () => {
      const [one, two, other] = [await bench.storedTeam(), await bench.storedTeam(), await bench.storedTeam()];
      const [a, c, b] = await storedKeys(one.id, [{ createdAt: AT }, { createdAt: AT + 20 }, { createdAt: AT + 10 }]);
      const [d] = await storedKeys(two.id, [{ createdAt: AT + 15, budget: 2n ** 60n, metadata: { a: [1] } }]);
      await storedKeys(other.id, [{}]);
      const filter = { teamIds: [one.id, two.id] };
      const list = (page: number) => bench.stores.keys.list(filter, { page, pageSize: 3 });
      expect(await list(1)).toEqual({ rows: [c, d, b] as ApiKey[], total: 4 });
      expect(await list(2)).toEqual({ rows: [a] as ApiKey[], total: 4 });
      expect(await list(3)).toEqual({ rows: [], total: 4 });
      expect(await list(Number.MAX_SAFE_INTEGER)).toEqual({ rows: [], total: 4 });
    });

    test("holds keys of one moment once each, whatever the pages", async () => {
      const team = await bench.storedTeam();
      const keys = await storedKeys(team.id, Array(7).fill({ createdAt: AT }));
      const ids: string[] = [];
      for (let page = 1; page <= 4; page++) {
        const { rows } = await bench.stores.keys.list({ teamIds: [team.id] }, { page, pageSize: 2 });
        ids.push(...rows.map((key) => key.id));
      }
      expect(ids.toSorted()).toEqual(keys.map((key) => key.id).toSorted());
    });

    test("goes by owner, handle and whole name, of all teams if none are named", async () => {
      const [one, two] = [await bench.storedTeam(), await bench.storedTeam()];
      const { id: createdBy } = await bench.storedUser();
      const mark = unique("mark");
      const [mine] = await storedKeys(one.id, [{ name: `${mark} a`, createdBy }, { name: `${mark} b` }]);
      await storedKeys(two.id, [{ name: `${mark} c`, createdBy, createdAt: AT + 50 }]);
      expect(await foundNames({ teamIds: null, createdBy })).toEqual([`${mark} c`, `${mark} a`]);
      expect(await foundNames({ teamIds: [two.id], createdBy })).toEqual([`${mark} c`]);
      expect(await foundNames({ teamIds: null, handle: mine?.handle ?? "" })).toEqual([`${mark} a`]);
      expect(await foundNames({ teamIds: null, name: `${mark} b` })).toEqual([`${mark} b`]);
      expect(await foundNames({ teamIds: null, name: mark })).toEqual([]);
    });

    test("is in the order that is asked for", async () => {
      const team = await bench.storedTeam();
      await storedKeys(team.id, [
        { name: "b", updatedAt: AT + 3 },
        { name: "c", updatedAt: AT + 1 },
        { name: "a", updatedAt: AT + 2 },
      ]);
      const names = async (order: KeyOrder) =>
        (await bench.stores.keys.list({ teamIds: [team.id] }, ALL, order)).rows.map((key) => key.name).join("");
      expect(await names({ by: "name", direction: "asc" })).toBe("abc");
      expect(await names({ by: "name", direction: "desc" })).toBe("cba");
      expect(await names({ by: "updatedAt", direction: "asc" })).toBe("cab");
      expect(await names({ by: "createdAt", direction: "asc" })).toBe("bca");
    });

    test("of no team is empty", async () => {
      await storedKeys((await bench.storedTeam()).id, [{}]);
      expect(await bench.stores.keys.list({ teamIds: [] }, ALL)).toEqual({ rows: [], total: 0 });
      expect(await bench.stores.keys.list({ teamIds: [], search: "k" }, ALL)).toEqual({ rows: [], total: 0 });
      expect(await bench.stores.keys.list({ teamIds: ["team_none"] }, ALL)).toEqual({ rows: [], total: 0 });
    });

    test("goes by status", async () => {
      const { id } = await bench.storedTeam();
      await storedKeys(id, [{ name: "on" }, { name: "off", status: "disabled" }]);
      expect(await foundNames({ teamIds: [id], status: "active" })).toEqual(["on"]);
      expect(await foundNames({ teamIds: [id], status: "disabled" })).toEqual(["off"]);
    });

    test("finds a part of the name or of the last characters, whatever its case", async () => {
      const { id } = await bench.storedTeam();
      await storedKeys(id, [{ name: "Production API", last4: "aB3d" }, { name: "staging" }]);
      for (const search of ["production", "DUCTION a", "AB3D", "b3"]) {
        expect(await foundNames({ teamIds: [id], search })).toEqual(["Production API"]);
      }
      expect(await foundNames({ teamIds: [id], search: "staging", status: "disabled" })).toEqual([]);
      expect(await foundNames({ teamIds: [id], search: "" })).toEqual(["staging", "Production API"]);
    });

    test("takes wildcards for what they are", async () => {
      const { id } = await bench.storedTeam();
      const names = ["100%", "under_score", "back\\slash"];
      await storedKeys(
        id,
        [...names, "plain"].map((name) => ({ name })),
      );
      for (const [index, search] of ["%", "_", "\\"].entries()) {
        expect(await foundNames({ teamIds: [id], search })).toEqual([String(names[index])]);
      }
      expect(await foundNames({ teamIds: [id], search: "%_".repeat(200) })).toEqual([]);
    });
  });
}
