import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { AT, newInvitation, newKey, newOrganization, newTeam, newUser } from "../storage/new-records.ts";
import { newCall } from "../storage/new-usage.ts";
import { newPerson, startAppOn } from "./people.ts";

interface List {
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`lists in the order that is asked for on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { accounts } = app.storage;
    const owner = await newPerson(app);
    const [team] = await accounts.teams.list(owner.ownId);
    const teamId = team?.team.id ?? "";

    const own = async (path: string) => ((await owner.send("GET", path)).body as List).data;
    const all = async (path: string) =>
      ((await (await app.call(path, { method: "GET", key: MASTER_KEY })).json()) as List).data;
    const names = (rows: List["data"], field = "name") => rows.map((row) => row[field]);

    test("keys, whose names go by letter and whose times that never were come last", async () => {
      const uses = [AT + 5, null, AT + 9, null];
      for (const [at, name] of ["beta", "Alpha", "alpha two", "Gamma"].entries()) {
        await accounts.keys.insert(newKey(teamId, { name, createdAt: AT + at, lastUsedAt: uses[at] ?? null }));
      }
      const up = ["Alpha", "alpha two", "beta", "Gamma"];
      for (const [list, path] of [
        [own, "/api/api-keys?"],
        [all, `/api/admin/api-keys?teamId=${teamId}&`],
      ] as const) {
        expect(names(await list(`${path}sort=name`))).toEqual(up);
        expect(names(await list(`${path}sort=-name`))).toEqual(up.toReversed());
        expect(names(await list(`${path}sort=name&order=desc`))).toEqual(up.toReversed());
        expect(names(await list(path))).toEqual(["Gamma", "alpha two", "Alpha", "beta"]);
        expect(names(await list(`${path}order=asc`))).toEqual(["beta", "Alpha", "alpha two", "Gamma"]);
        expect(names(await list(`${path}sort=-lastUsedAt`)).slice(0, 2)).toEqual(["alpha two", "beta"]);
        expect(names(await list(`${path}sort=lastUsedAt`)).slice(0, 2)).toEqual(["beta", "alpha two"]);
      }
      expect(names(await own("/api/api-keys?sort=name&status=active&pageSize=2&page=2"))).toEqual(["beta", "Gamma"]);
    });

    test("keys by what each has ever spent", async () => {
      const made = newTeam(owner.ownId, { name: "Spenders" });
      await accounts.teams.insert(made);
      for (const [at, costs] of [[3n, 4n], [], [10n]].entries()) {
        const key = newKey(made.id, { name: `spender ${at}`, createdAt: AT + at });
        await accounts.keys.insert(key);
        const whose = { organizationId: owner.ownId, teamId: made.id, keyId: key.id };
        const calls = costs.map((cost, day) => newCall({ ...whose, at: AT + day * 86_400_000, cost }));
        await app.storage.usage.record(calls);
      }
      const up = ["spender 1", "spender 0", "spender 2"];
      for (const [list, path] of [
        [own, `/api/api-keys?teamId=${made.id}&`],
        [all, `/api/admin/api-keys?teamId=${made.id}&`],
      ] as const) {
        expect(names(await list(`${path}sort=spend`))).toEqual(up);
        expect(names(await list(`${path}sort=-spend`))).toEqual(up.toReversed());
        expect(names(await list(`${path}sort=-spend&pageSize=1&page=2`))).toEqual(["spender 0"]);
      }
      await accounts.teams.remove(made.id);
    });

    test("vouchers", async () => {
      for (const [at, amount] of [20n, 5n, 10n].entries()) {
        await app.storage.billing.vouchers.insert({
          id: `sorted-voucher-${at}`,
          hash: `sorted-hash-${at}`,
          last4: "ABCD",
          amount,
          note: `voucher ${at}`,
          createdAt: AT + at,
          createdBy: null,
          expiresAt: [null, AT + 9, AT + 7][at] ?? null,
          revokedAt: null,
          redeemedAt: [AT + 1, null, AT + 2][at] ?? null,
          redeemedBy: null,
          organizationId: null,
        });
      }
      const list = async (query: string) => names(await all(`/api/admin/vouchers?${query}`), "note");
      const named = (...ats: number[]) => ats.map((at) => `voucher ${at}`);
      expect(await list("")).toEqual(named(2, 1, 0));
      expect(await list("sort=createdAt")).toEqual(named(0, 1, 2));
      expect(await list("sort=-amount")).toEqual(named(0, 2, 1));
      expect(await list("sort=amount&pageSize=2&page=2")).toEqual(named(0));
      expect(await list("sort=expiresAt")).toEqual(named(2, 1, 0));
      expect(await list("sort=-expiresAt")).toEqual(named(1, 2, 0));
      expect(await list("sort=redeemedAt")).toEqual(named(0, 2, 1));
      expect(await list("sort=-redeemedAt")).toEqual(named(2, 0, 1));
    });

    test("what payment providers told", async () => {
      const { events } = app.storage.billing;
      const told = (id: string, at: number) =>
        events.receive("sorted", { id, type: "test", happening: { kind: "none" } }, at);
      for (const [at, id] of ["first", "second", "third"].entries()) await told(id, AT + at);
      for (const at of [5, 6]) await told("first", AT + at);
      await told("third", AT + 7);
      const list = async (query: string) => names(await all(`/api/admin/webhook-events?${query}`), "id");
      expect(await list("")).toEqual(["third", "first", "second"]);
      expect(await list("sort=updatedAt")).toEqual(["second", "first", "third"]);
      expect(await list("sort=-firstSeenAt")).toEqual(["third", "second", "first"]);
      expect(await list("sort=attempts")).toEqual(["second", "third", "first"]);
    });

    test("webhooks and open invitations", async () => {
      const person = await newPerson(app);
      const theirs = async (path: string) => ((await person.send("GET", path)).body as List).data;
      for (const path of ["m", "a", "z"]) {
        await person.send("POST", "/api/webhook-endpoints", { url: `https://hooks.example/${path}` });
      }
      const hooks = async (query: string) =>
        names(await theirs(`/api/webhook-endpoints?${query}`), "url").map((url) => String(url).at(-1));
      const [first] = await theirs("/api/webhook-endpoints");
      await person.send("PATCH", `/api/webhook-endpoints/${first?.id}`, { status: "disabled" });
      expect(await hooks("")).toEqual(["m", "a", "z"]);
      expect(await hooks("sort=url")).toEqual(["a", "m", "z"]);
      expect(await hooks("sort=-createdAt&pageSize=2")).toEqual(["z", "a"]);
      expect((await hooks("sort=-status"))[0]).toBe("m");

      const [team] = await accounts.teams.list(person.ownId);
      const invited = { id: team?.team.id ?? "", organizationId: person.ownId };
      const soon = Date.now() + 3_600_000;
      for (const [at, email] of ["m", "A", "z"].entries()) {
        const expiresAt = soon + (3 - at);
        await accounts.invitations.insert(newInvitation(invited, { email, createdAt: AT + at, expiresAt }));
      }
      const open = async (query: string) => names(await theirs(`/api/invitations?${query}`), "email");
      expect(await open("")).toEqual(["z", "A", "m"]);
      expect(await open("sort=email")).toEqual(["A", "m", "z"]);
      expect(await open("sort=-createdAt&pageSize=1&page=2")).toEqual(["A"]);
      expect(await open("sort=expiresAt")).toEqual(["z", "A", "m"]);
    });

    test("rows that are alike are each on one page, whatever its size", async () => {
      const made = newTeam(owner.ownId, { name: "Alike" });
      await accounts.teams.insert(made);
      const keys = Array.from({ length: 7 }, () => newKey(made.id, { name: "same", createdAt: AT }));
      for (const key of keys) await accounts.keys.insert(key);
      for (const sort of ["name", "-name", "lastUsedAt", "-expiresAt"]) {
        const pages = [1, 2, 3, 4].map((page) =>
          own(`/api/api-keys?teamId=${made.id}&sort=${sort}&pageSize=2&page=${page}`),
        );
        const ids = names((await Promise.all(pages)).flat(), "id");
        expect(ids.toSorted()).toEqual(keys.map(({ id }) => id).toSorted());
      }
      await accounts.teams.remove(made.id);
    });

    test("teams", async () => {
      for (const [at, name] of ["zebra", "Yak"].entries()) {
        await accounts.teams.insert(newTeam(owner.ownId, { name, createdAt: AT + at }));
      }
      expect(names(await own("/api/gw/teams"))).toEqual(["Default", "Yak", "zebra"]);
      expect(names(await own("/api/gw/teams?sort=-name"))).toEqual(["zebra", "Yak", "Default"]);
      expect(names(await own("/api/gw/teams?sort=createdAt"))).toEqual(["zebra", "Yak", "Default"]);
      const path = `/api/admin/teams?organizationId=${owner.ownId}`;
      expect(names(await all(`${path}&sort=name`))).toEqual(["Default", "Yak", "zebra"]);
      expect(names(await all(`${path}&sort=-createdAt`))).toEqual(["Default", "Yak", "zebra"]);
    });

    test("users", async () => {
      const times = [null, AT + 2, AT + 1];
      for (const [at, name] of ["Sorted C", "sorted a", "Sorted B"].entries()) {
        const email = `sorted${3 - at}@example.com`;
        await accounts.users.insert(newUser({ name, email, createdAt: AT + at, lastLoginAt: times[at] ?? null }));
      }
      const list = async (query: string) => names(await all(`/api/admin/users?search=sorted&${query}`));
      expect(await list("")).toEqual(["Sorted C", "sorted a", "Sorted B"]);
      expect(await list("sort=name")).toEqual(["sorted a", "Sorted B", "Sorted C"]);
      expect(await list("sort=-email")).toEqual(["Sorted C", "sorted a", "Sorted B"]);
      expect(await list("sort=-createdAt")).toEqual(["Sorted B", "sorted a", "Sorted C"]);
      expect(await list("sort=lastLoginAt")).toEqual(["Sorted B", "sorted a", "Sorted C"]);
      expect(await list("sort=-lastLoginAt")).toEqual(["sorted a", "Sorted B", "Sorted C"]);
    });

    test("organizations, also by what they have left", async () => {
      const made = ["Sort two", "sort one", "Sort three"].map((name, at) =>
        newOrganization(owner.id, { name, createdAt: AT + at }),
      );
      for (const [at, organization] of made.entries()) {
        await accounts.organizations.insert(organization);
        const role = "owner" as const;
        await accounts.organizationMembers.insert({
          organizationId: organization.id,
          userId: owner.id,
          role,
          joinedAt: AT,
        });
        // The last never had any.
        if (at === 2) continue;
        await accounts.credits.post({
          key: `sorted-${at}`,
          kind: "grant",
          organizationId: organization.id,
          amount: BigInt([500, -7][at] ?? 0),
          against: "grants",
          at: AT,
          actor: "system",
          reason: "test",
          details: {},
        });
      }
      const list = async (query: string) => names(await all(`/api/admin/organizations?search=sort&${query}`));
      expect(await list("sort=name")).toEqual(["sort one", "Sort three", "Sort two"]);
      expect(await list("sort=-createdAt")).toEqual(["Sort three", "sort one", "Sort two"]);
      expect(await list("sort=balance")).toEqual(["sort one", "Sort three", "Sort two"]);
      expect(await list("sort=-balance")).toEqual(["Sort two", "Sort three", "sort one"]);
      const mine = async (query: string) =>
        names(await own(`/api/gw/organizations/list?${query}`)).filter((name) => /^sort/i.test(String(name)));
      expect(await mine("sort=-name")).toEqual(["Sort two", "Sort three", "sort one"]);
      expect(await mine("sort=createdAt")).toEqual(["Sort two", "sort one", "Sort three"]);
    });

    test("members", async () => {
      const joined = [AT + 3, AT + 2];
      for (const [at, name] of ["Ann", "Bob"].entries()) {
        const { id } = await accounts.users.insert(newUser({ name, email: `m${9 - at}@example.com` }));
        const member = { organizationId: owner.ownId, userId: id, role: "member" as const, joinedAt: joined[at] ?? AT };
        await accounts.organizationMembers.insert(member);
      }
      const list = async (query: string) => names(await own(`/api/gw/organizations/${owner.ownId}/members?${query}`));
      expect(await list("sort=-name")).toEqual(["Person 1", "Bob", "Ann"]);
      expect(await list("order=asc")).toEqual(["Ann", "Bob", "Person 1"]);
      expect(await list("order=desc")).toEqual(["Person 1", "Bob", "Ann"]);
      expect(await list("sort=joinedAt")).toEqual(["Bob", "Ann", "Person 1"]);
      expect(await list("sort=email")).toEqual(["Bob", "Ann", "Person 1"]);
    });

    test("entries of the ledger, each with the balance after it", async () => {
      const person = await newPerson(app);
      for (const [at, amount] of [10n, 20n, -5n].entries()) {
        await accounts.credits.post({
          key: `ledger-${at}`,
          kind: amount > 0n ? "grant" : "adjustment",
          organizationId: person.ownId,
          amount,
          against: amount > 0n ? "grants" : "adjustments",
          at: AT + at,
          actor: "system",
          reason: `entry ${at}`,
          details: {},
        });
      }
      const list = async (query: string) => {
        const { body } = await person.send("GET", `/api/billing/ledger?${query}`);
        return (body as List).data.map(({ amount, balance }) => [amount, balance]);
      };
      const down = await list("");
      expect(await list("sort=at")).toEqual(down.toReversed());
      expect(await list("order=asc&pageSize=2&page=2")).toEqual(down.toReversed().slice(2, 4));
    });

    test("a wrong order is refused with those that there are", async () => {
      const refused = {
        "/api/api-keys": "lastUsedAt",
        "/api/gw/teams": "createdAt",
        "/api/gw/organizations/list": "createdAt",
        "/api/gw/logs": "createdAt",
        "/api/billing/ledger": "at",
        "/api/billing/purchases": "amount",
        "/api/invitations": "expiresAt",
        "/api/webhook-endpoints": "url",
      };
      for (const [path, known] of Object.entries(refused)) {
        const { status, body } = await owner.send("GET", `${path}?sort=passwordHash`);
        expect(status).toBe(400);
        expect((body as { error: string }).error).toContain(`"${known}"`);
        expect((await owner.send("GET", `${path}?order=sideways`)).status).toBe(400);
      }
    });
  });
}
