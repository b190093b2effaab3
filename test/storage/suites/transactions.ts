import { describe, expect, test } from "bun:test";
import { statement } from "../../../src/storage/statement.ts";
import { StatementBatch } from "../../../src/storage/statement-batch.ts";
import { AT, newAuditEntry, newKey, newOrganization, newSession, newTeam, newUser, unique } from "../new-records.ts";
import { rejection } from "../rejection.ts";
import type { StoreBench } from "../store-bench.ts";

/** What a transaction over the stores guarantees. */
export function transactionSuite(bench: StoreBench): void {
  describe("transactions", () => {
    test("what is written together is there together", async () => {
      const user = newUser();
      const id = await bench.stores.transaction(async (inner) => {
        const owner = await inner.users.insert(user);
        const organization = newOrganization(owner.id);
        await inner.organizations.insert(organization);
        expect(await inner.organizations.find(organization.id)).toEqual(organization);
        return organization.id;
      });
      expect(await bench.stores.organizations.find(id)).not.toBeNull();
    });

    test("nothing remains of work that throws, and the error arrives as it is", async () => {
      const user = newUser();
      const failure = new Error("second thoughts");
      const work = bench.stores.transaction(async (inner) => {
        await inner.users.insert(user);
        throw failure;
      });
      expect(await rejection(work)).toBe(failure);
      expect(await bench.stores.users.findByEmail(user.email)).toBeNull();
    });

    test("nothing remains in any store when the last of them refuses", async () => {
      const organization = await bench.storedOrganization();
      const entry = newAuditEntry({ organizationId: organization.id });
      await bench.stores.audit.insert(entry);
      const [user, team] = [newUser(), newTeam(organization.id)];
      const work = bench.stores.transaction(async (inner) => {
        const { id: userId } = await inner.users.insert(user);
        await inner.organizationMembers.insert({
          organizationId: organization.id,
          userId,
          role: "member",
          joinedAt: AT,
        });
        await inner.teams.insert(team);
        await inner.teamMembers.insert({ teamId: team.id, userId, role: "admin", joinedAt: AT });
        await inner.keys.insert(newKey(team.id, { createdBy: userId }));
        await inner.sessions.insert(newSession(userId));
        await inner.organizations.update(organization.id, { name: "Never" });
        expect(await inner.teams.list(organization.id)).toEqual([{ team, membersCount: 1, keysCount: 1 }]);
        await inner.audit.insert(entry);
      });
      expect(await rejection(work)).toMatchObject({ kind: "conflict" });
      const { stores } = bench;
      expect(await stores.users.findByEmail(user.email)).toBeNull();
      expect(await stores.organizations.find(organization.id)).toEqual(organization);
      expect(await stores.organizationMembers.list(organization.id)).toEqual([]);
      expect(await stores.teams.list(organization.id)).toEqual([]);
      expect(await stores.keys.list({ teamIds: [team.id] }, { page: 1, pageSize: 9 })).toEqual({ rows: [], total: 0 });
    });

    test("others do not see it before it is done", async () => {
      const user = newUser();
      await bench.stores.transaction(async (inner) => {
        await inner.users.insert(user);
        expect(await bench.stores.users.findByEmail(user.email)).toBeNull();
      });
      expect(await bench.stores.users.findByEmail(user.email)).not.toBeNull();
    });

    test("a failed statement spoils the transaction even when its error is caught", async () => {
      const user = newUser();
      const work = bench.stores.transaction(async (inner) => {
        await inner.users.insert(user);
        await inner.users.insert(user).catch(() => null);
        await inner.settings.put("never", "stored");
      });
      expect(await rejection(work)).toHaveProperty("message", expect.stringMatching(/transaction/));
      expect(await bench.stores.users.findByEmail(user.email)).toBeNull();
      expect(await bench.stores.settings.find("never")).toBeNull();
    });

    test("a caught failure does not commit either", async () => {
      const user = newUser();
      const work = bench.stores.transaction(async (inner) => {
        await inner.users.insert(user);
        await inner.users.insert(user).catch(() => null);
      });
      expect(await rejection(work)).toBeInstanceOf(Error);
      expect(await bench.stores.users.findByEmail(user.email)).toBeNull();
    });

    test("a transaction within one may fail alone", async () => {
      const user = newUser();
      await bench.stores.transaction(async (inner) => {
        await inner.users.insert(user);
        const attempt = inner.transaction(async (innermost) => {
          await innermost.settings.put("inner", "1");
          await innermost.users.insert(user);
        });
        expect(await rejection(attempt)).toMatchObject({ kind: "conflict" });
        await inner.transaction((innermost) => innermost.settings.put("outer", "1"));
      });
      expect(await bench.stores.users.findByEmail(user.email)).not.toBeNull();
      expect(await bench.stores.settings.find("inner")).toBeNull();
      expect(await bench.stores.settings.find("outer")).toBe("1");
    });

    test("many at once, with single writes between them, all arrive", async () => {
      const users = Array.from({ length: 40 }, () => newUser());
      await Promise.all(
        users.map((user, index) =>
          index % 2 === 0
            ? bench.stores.transaction(async (inner) => {
                const stored = await inner.users.insert(user);
                await inner.organizations.insert(newOrganization(stored.id));
              })
            : bench.stores.users.insert(user),
        ),
      );
      const found = await Promise.all(users.map((user) => bench.stores.users.findByEmail(user.email)));
      expect(found.map((user) => user?.email)).toEqual(users.map((user) => user.email));
    });

    test("among writes at the same moment only the faulty ones fail", async () => {
      const known = await bench.stores.users.insert(newUser());
      const users = Array.from({ length: 9 }, (_, index) => (index % 3 === 1 ? known : newUser()));
      const results = await Promise.allSettled(users.map((user) => bench.stores.users.insert(user)));
      expect(results.map((result) => result.status === "fulfilled")).toEqual(users.map((user) => user !== known));
    });

    test("of a faulty write with several rows none is stored, whatever is written beside it", async () => {
      const known = newUser();
      await bench.stores.users.insert(known);
      const [before, partner, after] = [newUser(), newUser(), newUser()];
      const row = ({ metadata: _, models: _models, furtherBudgets: _further, ...user }: ReturnType<typeof newUser>) =>
        user;
      const results = await Promise.allSettled([
        bench.stores.users.insert(before),
        bench.backend.db
          .insertInto("users")
          .values([row(partner), row(known)])
          .execute(),
        bench.stores.users.insert(after),
      ]);
      expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await bench.stores.users.findByEmail(partner.email)).toBeNull();
      expect(await bench.stores.users.findByEmail(after.email)).not.toBeNull();
    });

    const put = (name: string, value: string) =>
      statement<{ name: string }>`insert into settings (name, value) values (${name}, ${value}) returning name`;
    const get = (name: string) => statement<{ value: string }>`select value from settings where name = ${name}`;

    test("statements that go together are run in their order, and each has its own rows", async () => {
      const key = unique("together");
      await bench.backend.db.transaction().execute(async (tx) => {
        const together = new StatementBatch();
        const [before, made, after] = [together.add(get(key)), together.add(put(key, "one")), together.add(get(key))];
        expect(before).toThrow("not run yet");
        await together.run(tx);
        expect([before(), made(), after()]).toEqual([[], [{ name: key }], [{ value: "one" }]] as never);
        const again = together.add(get(key));
        await together.run(tx);
        expect(again()).toEqual([{ value: "one" }]);
      });
      expect(await bench.stores.settings.find(key)).toBe("one");
    });

    test("of statements that go together nothing remains when one fails, and none of those behind it is run", async () => {
      const [key, other] = [unique("together"), unique("together")];
      const work = bench.backend.db.transaction().execute(async (tx) => {
        const together = new StatementBatch();
        for (const one of [put(key, "one"), put(key, "two"), put(other, "three")]) together.add(one);
        await together.run(tx);
      });
      expect(await rejection(work)).toMatchObject({ kind: "conflict" });
      expect(await bench.stores.settings.find(key)).toBeNull();
      expect(await bench.stores.settings.find(other)).toBeNull();
    });
  });
}
