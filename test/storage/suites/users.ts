import { describe, expect, test } from "bun:test";
import type { User } from "../../../src/accounts/records.ts";
import { AT, newUser, unique } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

const ALL = { page: 1, pageSize: 1000 };

export function userSuite(bench: StoreBench): void {
  describe("users", () => {
    test("a user is found by id and by e-mail as it was stored", async () => {
      const user = newUser({ passwordHash: "$argon2id$v=19$x", role: "admin", lastLoginAt: AT + 9 });
      const stored = await bench.stores.users.insert(user);
      expect(stored).toEqual({ ...user, id: stored.id });
      expect(typeof stored.id).toBe("number");
      expect(await bench.stores.users.find(stored.id)).toEqual(stored);
      expect(await bench.stores.users.findByEmail(user.email)).toEqual(stored);
    });

    test("an unknown user is null", async () => {
      expect(await bench.stores.users.find(987_654)).toBeNull();
      expect(await bench.stores.users.findByEmail("nobody@example.com")).toBeNull();
    });

    test("an id in the record is not taken: the database gives it", async () => {
      const first = await bench.storedUser();
      const second: Omit<User, "id"> = { ...first, email: `${unique("second")}@example.com` };
      expect((await bench.stores.users.insert(second)).id).toBeGreaterThan(first.id);
    });

    test("a known e-mail is a conflict", async () => {
      const { email } = await bench.storedUser();
      expect(await rejection(bench.storedUser({ email }))).toMatchObject({ name: "GatewayError", kind: "conflict" });
    });

    test("of many sign-ups with one e-mail at once one wins, the others are conflicts", async () => {
      const user = newUser();
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => bench.stores.users.insert(user)));
      const refused = results.filter((result) => result.status === "rejected");
      expect(refused.map(({ reason }) => reason.kind)).toEqual(Array(7).fill("conflict"));
    });

    test("the first administrator is the oldest who is active", async () => {
      const { users } = bench.stores;
      for (let found = await users.findFirstAdmin(); found; found = await users.findFirstAdmin()) {
        await users.update(found.id, { role: "user" });
      }
      await bench.storedUser({ role: "admin", status: "disabled" });
      expect(await users.findFirstAdmin()).toBeNull();
      const first = await bench.storedUser({ role: "admin" });
      await bench.storedUser({ role: "admin" });
      expect(await users.findFirstAdmin()).toEqual(first);
    });

    test("a role outside the list is refused by the database", async () => {
      const user = { ...newUser(), role: "root" } as unknown as User;
      expect(await rejection(bench.stores.users.insert(user))).toHaveProperty(
        "message",
        expect.stringMatching(/check/i),
      );
    });

    test("an update changes what it names and nothing else", async () => {
      const { users } = bench.stores;
      const [user, other] = [await bench.storedUser({ passwordHash: "old" }), await bench.storedUser()];
      await users.update(user.id, { name: "Zoë", passwordHash: null, lastLoginAt: AT + 7 });
      expect(await users.find(user.id)).toEqual({ ...user, name: "Zoë", passwordHash: null, lastLoginAt: AT + 7 });
      const rest = {
        email: `${unique("new")}@example.com`,
        role: "admin",
        status: "disabled",
        budget: 2n ** 62n + 1n,
        budgetWindow: "hour",
        rpmLimit: 1,
        tpmLimit: 0,
        metadata: { sso: "größe" },
        updatedAt: AT + 8,
      } as const;
      await users.update(user.id, rest);
      expect(await users.find(user.id)).toMatchObject({ ...rest, name: "Zoë" });
      expect(await users.find(other.id)).toEqual(other);
    });

    test("an update with a whole record leaves the id and the day of creation alone", async () => {
      const user = await bench.storedUser();
      await bench.stores.users.update(user.id, { ...user, id: user.id + 1000, createdAt: 1, name: "New" } as User);
      expect(await bench.stores.users.find(user.id)).toEqual({ ...user, name: "New" });
    });

    test("an update of nothing, or of nobody, changes nothing", async () => {
      const user = await bench.storedUser();
      await bench.stores.users.update(user.id, {});
      await bench.stores.users.update(987_654, { name: "Nobody" });
      expect(await bench.stores.users.find(user.id)).toEqual(user);
    });

    test("an update to another user's e-mail is a conflict", async () => {
      const [user, other] = [await bench.storedUser(), await bench.storedUser()];
      const update = bench.stores.users.update(user.id, { email: other.email });
      expect(await rejection(update)).toMatchObject({ kind: "conflict" });
    });
  });

  describe("the list of users", () => {
    async function found(search: string): Promise<readonly string[]> {
      const { rows, total } = await bench.stores.users.list({ search }, ALL);
      expect(total).toBe(rows.length);
      return rows.map((user) => user.name);
    }

    test("is by id, in pages that hold everyone once", async () => {
      const mark = unique("paged");
      const users: User[] = [];
      for (let n = 5; n > 0; n--) users.push(await bench.storedUser({ name: `${mark} ${n}` }));
      const pages = [1, 2, 3].map((page) => bench.stores.users.list({ search: mark }, { page, pageSize: 2 }));
      const [first, second, third] = await Promise.all(pages);
      expect(first).toEqual({ rows: users.slice(0, 2), total: 5 });
      expect(second).toEqual({ rows: users.slice(2, 4), total: 5 });
      expect(third).toEqual({ rows: users.slice(4), total: 5 });
    });

    test("is empty past its end, however far, with the right total", async () => {
      const mark = unique("past");
      await bench.storedUser({ name: mark });
      for (const page of [2, 1e9, Number.MAX_SAFE_INTEGER]) {
        for (const pageSize of [1, 1e9]) {
          const listed = await bench.stores.users.list({ search: mark }, { page, pageSize });
          expect(listed).toEqual({ rows: [], total: 1 });
        }
      }
    });

    test("holds everyone when nothing is searched", async () => {
      const user = await bench.storedUser();
      const { rows, total } = await bench.stores.users.list({}, ALL);
      expect(rows).toContainEqual(user);
      expect(total).toBe(rows.length);
      expect(await bench.stores.users.list({ search: "" }, ALL)).toEqual({ rows, total });
    });

    test("finds a part of the e-mail or of the name, whatever its case", async () => {
      const mark = unique("Case");
      await bench.storedUser({ name: `Anna ${mark} Lee` });
      await bench.storedUser({ name: `by mail ${serialOf(mark)}`, email: `info+${mark}@example.com` });
      await bench.storedUser({ name: "neither" });
      const both = [`Anna ${mark} Lee`, `by mail ${serialOf(mark)}`];
      for (const search of [mark, mark.toLowerCase(), mark.toUpperCase()]) expect(await found(search)).toEqual(both);
      expect(await found(`NNA ${mark} L`)).toEqual([`Anna ${mark} Lee`]);
    });

    test("finds letters beyond ASCII as they are written, beside others of any case", async () => {
      const mark = unique("Größe 北京 🚀 ");
      await bench.storedUser({ name: `Straße ${mark}` });
      expect(await found(mark)).toEqual([`Straße ${mark}`]);
      expect(await found(mark.replace("Gr", "gR"))).toEqual([`Straße ${mark}`]);
    });

    test("takes wildcards, backslashes and quotes for what they are", async () => {
      const mark = unique("wild");
      const names = ["100%", "under_score", "back\\slash", "quote'd", "plain"].map((name) => `${mark} ${name}`);
      for (const name of names) await bench.storedUser({ name });
      for (const name of names) expect(await found(name)).toEqual([name]);
      for (const search of ["%", "_", "\\", "100_", "und%score", "back\\\\slash", "\\%", "plain%", "plain\\"]) {
        expect(await found(`${mark} ${search}`)).toEqual([]);
      }
    });

    test("finds nothing by wildcards alone, even where they would match", async () => {
      await bench.storedUser({ name: "a".repeat(20_000) });
      for (const search of ["%_".repeat(200), "%a".repeat(200), "_".repeat(20_000)])
        expect(await found(search)).toEqual([]);
    });
  });
}

const serialOf = (mark: string): string => mark.replace(/^\D+/, "no. ");
