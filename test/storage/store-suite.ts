import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { ApiKey, Organization, Session, Team, User } from "../../src/accounts/records.ts";
import type { AccountStores } from "../../src/accounts/store.ts";
import { accountStores } from "../../src/storage/accounts/account-stores.ts";
import type { Backend } from "../../src/storage/backend.ts";
import { migrateUp } from "../../src/storage/migrate.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { openBackend } from "../../src/storage/open.ts";
import { type FreshDatabase, freshDatabase } from "./databases.ts";
import { rejection } from "./rejection.ts";

const AT = 1_763_000_000_123;
let serial = 0;

function newUser(): Omit<User, "id"> {
  const name = `user${++serial}`;
  return {
    email: `${name}@example.com`,
    name,
    role: "user",
    status: "active",
    passwordHash: null,
    createdAt: AT,
    updatedAt: AT + 1,
  };
}

function newOrganization(ownerId: number): Organization {
  const id = `org_${++serial}`;
  return { id, name: "Größe 🚀", slug: id, ownerId, createdAt: AT, updatedAt: AT };
}

function newTeam(organizationId: string): Team {
  return {
    id: `team_${++serial}`,
    organizationId,
    name: "Team",
    status: "active",
    blockedReason: null,
    models: [],
    createdAt: AT,
    updatedAt: AT + 2,
  };
}

function newKey(teamId: string, createdBy: number | null): ApiKey {
  const id = `key_${++serial}`;
  return {
    id,
    teamId,
    name: "Key",
    hash: `hash of ${id}`,
    last4: "0042",
    status: "active",
    models: ["gpt-4o", 'a "quoted" one'],
    expiresAt: null,
    createdBy,
    createdAt: AT + 3,
    updatedAt: AT + 4,
  };
}

/** What every implementation of the account stores guarantees. */
export function accountStoreSuite(kind: Backend["kind"]): void {
  let database: FreshDatabase;
  let backend: Backend;
  let stores: AccountStores;

  beforeAll(async () => {
    database = await freshDatabase(kind);
    backend = openBackend(database.settings);
    await migrateUp(backend, migrations);
    stores = accountStores(backend.db);
  });

  afterAll(async () => {
    await backend.close();
    database[Symbol.dispose]();
  });

  async function storedTeam(): Promise<{ owner: User; team: Team }> {
    const owner = await stores.users.insert(newUser());
    const organization = newOrganization(owner.id);
    await stores.organizations.insert(organization);
    const team = newTeam(organization.id);
    await stores.teams.insert(team);
    return { owner, team };
  }

  describe("users", () => {
    test("a user is found by id and by e-mail as it was stored", async () => {
      const user = { ...newUser(), passwordHash: "$argon2id$v=19$x", role: "admin" } as const;
      const stored = await stores.users.insert(user);
      expect(stored).toEqual({ ...user, id: stored.id });
      expect(typeof stored.id).toBe("number");
      expect(await stores.users.find(stored.id)).toEqual(stored);
      expect(await stores.users.findByEmail(user.email)).toEqual(stored);
    });

    test("an unknown user is null", async () => {
      expect(await stores.users.find(987_654)).toBeNull();
      expect(await stores.users.findByEmail("nobody@example.com")).toBeNull();
    });

    test("a known e-mail is a conflict", async () => {
      const user = newUser();
      await stores.users.insert(user);
      expect(await rejection(stores.users.insert({ ...newUser(), email: user.email }))).toMatchObject({
        name: "GatewayError",
        kind: "conflict",
      });
    });

    test("two sign-ups with one e-mail at once leave one user", async () => {
      const user = newUser();
      const results = await Promise.allSettled([1, 2, 3, 4].map(() => stores.users.insert(user)));
      expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    });

    test("a role outside the list is refused by the database", async () => {
      const user = { ...newUser(), role: "root" } as unknown as User;
      expect(await rejection(stores.users.insert(user))).toHaveProperty("message", expect.stringMatching(/check/i));
    });
  });

  describe("organizations", () => {
    test("an organization is found as it was stored", async () => {
      const owner = await stores.users.insert(newUser());
      const organization = newOrganization(owner.id);
      await stores.organizations.insert(organization);
      expect(await stores.organizations.find(organization.id)).toEqual(organization);
      expect(await stores.organizations.find("org_none")).toBeNull();
    });

    test("a slug is taken once", async () => {
      const owner = await stores.users.insert(newUser());
      const first = newOrganization(owner.id);
      await stores.organizations.insert(first);
      const second = { ...newOrganization(owner.id), slug: first.slug };
      expect(await rejection(stores.organizations.insert(second))).toMatchObject({ kind: "conflict" });
    });

    test("an owner who does not exist is refused", async () => {
      expect(await rejection(stores.organizations.insert(newOrganization(987_654)))).toHaveProperty(
        "message",
        expect.stringMatching(/foreign key/i),
      );
    });

    test("a member is added once", async () => {
      const owner = await stores.users.insert(newUser());
      const organization = newOrganization(owner.id);
      await stores.organizations.insert(organization);
      const member = { organizationId: organization.id, userId: owner.id, role: "owner", joinedAt: AT } as const;
      await stores.organizations.addMember(member);
      expect(await rejection(stores.organizations.addMember(member))).toMatchObject({ kind: "conflict" });
    });
  });

  describe("teams", () => {
    test("a team is found as it was stored, blocked or not", async () => {
      const { team } = await storedTeam();
      expect(await stores.teams.find(team.id)).toEqual(team);
      const blocked: Team = {
        ...newTeam(team.organizationId),
        status: "blocked",
        blockedReason: "balance",
        models: ["a"],
      };
      await stores.teams.insert(blocked);
      expect(await stores.teams.find(blocked.id)).toEqual(blocked);
      expect(await stores.teams.find("team_none")).toBeNull();
    });

    test("a member is added once", async () => {
      const { owner, team } = await storedTeam();
      const member = { teamId: team.id, userId: owner.id, role: "admin", joinedAt: AT } as const;
      await stores.teams.addMember(member);
      expect(await rejection(stores.teams.addMember(member))).toMatchObject({ kind: "conflict" });
    });
  });

  describe("keys", () => {
    test("a key comes with its team", async () => {
      const { owner, team } = await storedTeam();
      const key = { ...newKey(team.id, owner.id), expiresAt: AT + 5 };
      await stores.keys.insert(key);
      expect(await stores.keys.findByHash(key.hash)).toEqual({ key, team });
    });

    test("a key without an end and a maker keeps its nulls", async () => {
      const { team } = await storedTeam();
      const key = newKey(team.id, null);
      await stores.keys.insert(key);
      expect((await stores.keys.findByHash(key.hash))?.key).toEqual(key);
    });

    test("an unknown hash is null, a known one a conflict", async () => {
      const { team } = await storedTeam();
      const key = newKey(team.id, null);
      await stores.keys.insert(key);
      expect(await stores.keys.findByHash("no such hash")).toBeNull();
      const twin = { ...newKey(team.id, null), hash: key.hash };
      expect(await rejection(stores.keys.insert(twin))).toMatchObject({ kind: "conflict" });
    });
  });

  describe("sessions", () => {
    test("a session is revoked once and for all", async () => {
      const user = await stores.users.insert(newUser());
      const session: Session = {
        id: `session_${++serial}`,
        userId: user.id,
        createdAt: AT,
        expiresAt: AT + 1000,
        revokedAt: null,
      };
      await stores.sessions.insert(session);
      expect(await stores.sessions.find(session.id)).toEqual(session);
      await stores.sessions.revoke(session.id, AT + 10);
      await stores.sessions.revoke(session.id, AT + 20);
      expect(await stores.sessions.find(session.id)).toEqual({ ...session, revokedAt: AT + 10 });
      expect(await stores.sessions.find("session_none")).toBeNull();
    });
  });

  describe("settings", () => {
    test("the last value put is the one found", async () => {
      expect(await stores.settings.find("colour")).toBeNull();
      await stores.settings.put("colour", "red");
      await stores.settings.put("colour", "blue");
      expect(await stores.settings.find("colour")).toBe("blue");
    });
  });

  describe("transactions", () => {
    test("what is written together is there together", async () => {
      const user = newUser();
      const id = await stores.transaction(async (inner) => {
        const owner = await inner.users.insert(user);
        const organization = newOrganization(owner.id);
        await inner.organizations.insert(organization);
        expect(await inner.organizations.find(organization.id)).toEqual(organization);
        return organization.id;
      });
      expect(await stores.organizations.find(id)).not.toBeNull();
    });

    test("nothing remains of work that throws, and the error arrives as it is", async () => {
      const user = newUser();
      const failure = new Error("second thoughts");
      const work = stores.transaction(async (inner) => {
        await inner.users.insert(user);
        throw failure;
      });
      expect(await rejection(work)).toBe(failure);
      expect(await stores.users.findByEmail(user.email)).toBeNull();
    });

    test("others do not see it before it is done", async () => {
      const user = newUser();
      await stores.transaction(async (inner) => {
        await inner.users.insert(user);
        expect(await stores.users.findByEmail(user.email)).toBeNull();
      });
      expect(await stores.users.findByEmail(user.email)).not.toBeNull();
    });

    test("a failed statement spoils the transaction even when its error is caught", async () => {
      const user = newUser();
      const work = stores.transaction(async (inner) => {
        await inner.users.insert(user);
        await inner.users.insert(user).catch(() => null);
        await inner.settings.put("never", "stored");
      });
      expect(await rejection(work)).toHaveProperty("message", expect.stringMatching(/transaction/));
      expect(await stores.users.findByEmail(user.email)).toBeNull();
      expect(await stores.settings.find("never")).toBeNull();
    });

    test("a caught failure does not commit either", async () => {
      const user = newUser();
      const work = stores.transaction(async (inner) => {
        await inner.users.insert(user);
        await inner.users.insert(user).catch(() => null);
      });
      expect(await rejection(work)).toBeInstanceOf(Error);
      expect(await stores.users.findByEmail(user.email)).toBeNull();
    });

    test("a transaction within one may fail alone", async () => {
      const user = newUser();
      await stores.transaction(async (inner) => {
        await inner.users.insert(user);
        const attempt = inner.transaction(async (innermost) => {
          await innermost.settings.put("inner", "1");
          await innermost.users.insert(user);
        });
        expect(await rejection(attempt)).toMatchObject({ kind: "conflict" });
        await inner.transaction((innermost) => innermost.settings.put("outer", "1"));
      });
      expect(await stores.users.findByEmail(user.email)).not.toBeNull();
      expect(await stores.settings.find("inner")).toBeNull();
      expect(await stores.settings.find("outer")).toBe("1");
    });

    test("many at once, with single writes between them, all arrive", async () => {
      const users = Array.from({ length: 40 }, newUser);
      await Promise.all(
        users.map((user, index) =>
          index % 2 === 0
            ? stores.transaction(async (inner) => {
                const stored = await inner.users.insert(user);
                await inner.organizations.insert(newOrganization(stored.id));
              })
            : stores.users.insert(user),
        ),
      );
      const found = await Promise.all(users.map((user) => stores.users.findByEmail(user.email)));
      expect(found.map((user) => user?.email)).toEqual(users.map((user) => user.email));
    });

    test("among writes at the same moment only the faulty ones fail", async () => {
      const known = await stores.users.insert(newUser());
      const users = Array.from({ length: 9 }, (_, index) => (index % 3 === 1 ? known : newUser()));
      const results = await Promise.allSettled(users.map((user) => stores.users.insert(user)));
      expect(results.map((result) => result.status === "fulfilled")).toEqual(users.map((user) => user !== known));
    });

    test("of a faulty write with several rows none is stored, whatever is written beside it", async () => {
      const known = newUser();
      await stores.users.insert(known);
      const [before, partner, after] = [newUser(), newUser(), newUser()];
      const results = await Promise.allSettled([
        stores.users.insert(before),
        backend.db.insertInto("users").values([partner, known]).execute(),
        stores.users.insert(after),
      ]);
      expect(results.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect(await stores.users.findByEmail(partner.email)).toBeNull();
      expect(await stores.users.findByEmail(after.email)).not.toBeNull();
    });
  });

  describe("values", () => {
    const EXACT = 2n ** 63n - 1n;

    beforeAll(async () => {
      await backend.withoutTimeLimit(async (db) => {
        await db.schema
          .createTable("scratch")
          .addColumn("amount", "bigint")
          .addColumn("small", "integer")
          .addColumn("flag", "boolean")
          .addColumn("ratio", "double precision")
          .addColumn("seen_at", "bigint")
          .execute();
      });
    });

    test("64-bit integers are exact, and each type is the same in both databases", async () => {
      const db = backend.db.withTables<{
        scratch: { amount: bigint; small: number; flag: boolean; ratio: number; seenAt: number | null };
      }>();
      const row = { amount: EXACT, small: -7, flag: true, ratio: 0.5, seenAt: AT };
      const returned = await db.insertInto("scratch").values(row).returningAll().executeTakeFirstOrThrow();
      expect(returned).toEqual(row);
      const other = { amount: -EXACT, small: 0, flag: false, ratio: 2, seenAt: null };
      await db.insertInto("scratch").values(other).execute();
      expect(await db.selectFrom("scratch").selectAll().orderBy("amount").execute()).toEqual([other, row]);
    });

    test("counts and sums are bigint and leave the range of doubles intact", async () => {
      const db = backend.db.withTables<{ scratch: { amount: bigint } }>();
      const row = await db
        .selectFrom("scratch")
        .select([
          db.fn.countAll<bigint>().as("rows"),
          db.fn.sum<bigint>("amount").as("total"),
          db.fn.max("amount").as("most"),
        ])
        .executeTakeFirstOrThrow();
      expect(row).toEqual({ rows: 2n, total: 0n, most: EXACT });
    });

    test("an update says how many rows it met", async () => {
      const db = backend.db.withTables<{ scratch: { amount: bigint; small: number } }>();
      const result = await db.updateTable("scratch").set({ small: 1 }).where("amount", ">", 0n).executeTakeFirst();
      expect(result.numUpdatedRows).toBe(1n);
    });

    test("bytes come back as bytes", async () => {
      const bytes = new Uint8Array([0, 1, 254, 255]);
      const type = sql.raw(kind === "sqlite" ? "blob" : "bytea");
      const { rows } = await sql`select cast(${bytes} as ${type}) as content`.execute(backend.db);
      expect(rows).toEqual([{ content: bytes }]);
    });
  });
}
