import { describe, expect, test } from "bun:test";
import { createOrganization } from "../../src/accounts/sign-up.ts";
import { DATABASES } from "../storage/databases.ts";
import { type Organization, startOrganization } from "./organization-cast.ts";
import { newPerson, type Person } from "./people.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`organizations on ${kind}`, async () => {
    if (missing) return;
    const { app, accounts, list, auditOf, owner, stranger, byRole, home, membersPath } = await startOrganization(kind);

    test("the list has those of the caller, whole and in the envelope", async () => {
      const { status, body } = await owner.send("GET", "/api/gw/organizations/list");
      expect(status).toBe(200);
      expect(body).toEqual({
        data: [
          {
            id: home,
            name: "Person 1's organization",
            slug: expect.stringMatching(/^person-1-s-organization-[0-9a-z]{6}$/),
            ownerId: owner.id,
            role: "owner",
            billingEmail: null,
            billingEmailVerified: false,
            timezone: "UTC",
            dataRetentionDays: null,
            status: "active",
            billing: "prepaid",
            models: [],
            budget: null,
            budgetWindow: null,
            softBudget: null,
            rpmLimit: null,
            tpmLimit: null,
            parallelLimit: null,
            storePrompts: false,
            allowedIps: [],
            metadata: {},
            membersCount: 4,
            teamsCount: 1,
            quota: { balance: 10_000_000_000, held: 0, available: 10_000_000_000 },
            createdAt: expect.stringMatching(/Z$/),
            updatedAt: expect.stringMatching(/Z$/),
          },
        ],
        meta: { page: 1, pageSize: 20, total: 1, totalPages: 1 },
      } as never);
      expect((await list(byRole.viewer)).map(({ id, role }) => [id, role])).toContainEqual([home, "viewer"]);
      expect((await list(stranger)).map(({ id }) => id)).toEqual([stranger.ownId]);
    });

    test("a page past the end is empty, a page of no size is refused", async () => {
      const { body } = await owner.send("GET", "/api/gw/organizations/list?page=2&page_size=1");
      expect(body).toEqual({ data: [], meta: { page: 2, pageSize: 1, total: 1, totalPages: 1 } } as never);
      for (const query of ["pageSize=0", "pageSize=101", "page=0", "page=x", "page=1.5", "page=99999999999999999999"]) {
        expect((await owner.send("GET", `/api/gw/organizations/list?${query}`)).status).toBe(400);
      }
    });

    test("creating one makes its creator the owner, with the team Default, and leaves a line in the log", async () => {
      const person = await newPerson(app);
      const { status, body } = await person.send("POST", "/api/gw/organizations", { name: "  Second  " });
      expect(status).toBe(201);
      const made = body as Organization;
      expect(made).toMatchObject({ name: "Second", role: "owner", ownerId: person.id, membersCount: 1, teamsCount: 1 });
      const [team] = await accounts.teams.list(made.id);
      expect(team).toMatchObject({ team: { name: "Default" }, membersCount: 1 });
      expect(await accounts.teamMembers.find(team?.team.id ?? "", person.id)).toMatchObject({ role: "admin" });
      expect(await auditOf(made.id)).toMatchObject([
        { action: "organization.create", actor: "user", userId: person.id, targetId: made.id, address: "127.0.0.1" },
      ]);
    });

    test.each([
      ["no name", {}],
      ["an empty name", { name: "" }],
      ["a name of spaces", { name: "   " }],
      ["a name that is too long", { name: "x".repeat(101) }],
      ["a name with a NUL", { name: "a\0b" }],
      ["half a character", { name: "a\ud800" }],
      ["a number as name", { name: 7 }],
    ])("creating one with %s is 400 and creates nothing", async (_, body) => {
      const before = (await list(stranger)).length;
      const answer = await stranger.send("POST", "/api/gw/organizations", body);
      expect(answer).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
      expect(await list(stranger)).toHaveLength(before);
    });

    test("a name of a hundred characters that take two units each is fine", async () => {
      const person = await newPerson(app);
      const { status, body } = await person.send("POST", "/api/gw/organizations", { name: "🎈".repeat(100) });
      expect([status, (body as Organization).name]).toEqual([201, "🎈".repeat(100)]);
    });

    test("a person owns 25 at most, also when several are asked for at once", async () => {
      const person = await newPerson(app);
      for (let count = 1; count < 22; count++)
        await createOrganization(accounts, person.id, `Seed ${count}`, Date.now());
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, index) => person.send("POST", "/api/gw/organizations", { name: `O ${index}` })),
      );
      expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
      const last = await person.send("GET", "/api/gw/organizations/list?page=2");
      expect(last.body).toMatchObject({ meta: { page: 2, total: 25, totalPages: 2 } });
      expect((last.body as { data: unknown[] }).data).toHaveLength(5);
    });

    describe("changing one", () => {
      const put = (person: Person, body: object, headers = {}) =>
        person.send("PUT", "/api/gw/organizations", body, headers);

      test("takes both spellings, keeps what is left out, and null empties", async () => {
        const all = {
          name: "New",
          billingEmail: " Bills@Example.com ",
          timezone: "europe/berlin",
          dataRetentionDays: 30,
        };
        const { status, body } = await put(owner, all);
        const changed = {
          name: "New",
          billingEmail: "bills@example.com",
          timezone: "Europe/Berlin",
          dataRetentionDays: 30,
        };
        expect(status).toBe(200);
        expect(body).toMatchObject({ id: home, role: "owner", ...changed });
        expect((await put(owner, { id: home, data_retention_days: 60 })).body).toMatchObject({
          ...changed,
          dataRetentionDays: 60,
        });
        expect((await put(owner, { billing_email: null, dataRetentionDays: null })).body).toMatchObject({
          ...changed,
          billingEmail: null,
          dataRetentionDays: null,
        });
        const [last] = await auditOf(home);
        expect(last).toMatchObject({
          action: "organization.update",
          userId: owner.id,
          details: { billingEmail: null, dataRetentionDays: null },
        });
      });

      test.each([
        ["an offset as zone", { timezone: "+02:00" }],
        ["an unknown zone", { timezone: "Mars/Base" }],
        ["an empty zone", { timezone: "" }],
        ["no mail address", { billingEmail: "nobody" }],
        ["a mail address with a NUL", { billingEmail: "a\0@b" }],
        ["no days", { dataRetentionDays: 0 }],
        ["half a day", { dataRetentionDays: 1.5 }],
        ["too many days", { dataRetentionDays: 100_000 }],
        ["no name", { name: null }],
        ["an id with a NUL", { id: "a\0b" }],
      ])("to %s is 400", async (_, body) => {
        expect(await put(owner, body)).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
      });

      test("changes nothing that was not offered: id, owner, role, slug, times", async () => {
        const before = await accounts.organizations.find(home);
        const lines = (await auditOf(home)).length;
        const extra = {
          ownerId: stranger.id,
          owner_id: stranger.id,
          role: "viewer",
          slug: "mine",
          status: "blocked",
          createdAt: 0,
          updatedAt: 0,
          membersCount: 9,
        };
        expect((await put(owner, extra)).status).toBe(200);
        expect(await accounts.organizations.find(home)).toEqual(before);
        expect(await auditOf(home)).toHaveLength(lines);
        expect((await put(owner, { ...extra, name: "Other" })).status).toBe(200);
        const after = await accounts.organizations.find(home);
        expect({ ...after, name: before?.name, updatedAt: 0 }).toEqual({ ...before, updatedAt: 0 } as never);
        const made = await owner.send("POST", "/api/gw/organizations", { ...extra, id: home, name: "Extra" });
        expect(made).toMatchObject({ status: 201, body: { ownerId: owner.id, role: "owner", membersCount: 1 } });
        expect((made.body as Organization).id).not.toBe(home);
      });

      test.each([
        ["owner", 200],
        ["admin", 200],
        ["member", 403],
        ["viewer", 403],
        ["stranger", 404],
      ] as const)("by %s is %d, in the body and in the header", async (who, status) => {
        expect((await put(byRole[who], { id: home, name: "Ours" })).status).toBe(status);
        expect((await put(byRole[who], { name: "Ours" }, { "x-organization-id": home })).status).toBe(status);
      });
    });

    test.each([
      ["owner", 200],
      ["admin", 200],
      ["member", 200],
      ["viewer", 200],
      ["stranger", 404],
    ] as const)("%s, who shows it, lists its members or works in it, gets %d", async (who, status) => {
      const person = byRole[who];
      expect((await person.send("GET", `/api/gw/organizations/${home}`)).status).toBe(status);
      expect((await person.send("GET", membersPath)).status).toBe(status);
      expect((await person.send("GET", "/api/gw/teams", undefined, { "x-organization-id": home })).status).toBe(status);
      const chosen = await person.send("POST", "/api/gw/organizations/active", { organization_id: home });
      expect(chosen.status).toBe(status);
      if (status === 200) expect(chosen.body).toMatchObject({ id: home, role: who });
    });

    test("an organization that nobody has is 404, like another tenant's", async () => {
      for (const id of ["00000000-0000-0000-0000-000000000000", "x", "%27%20or%201=1", stranger.ownId]) {
        const { status, body } = await owner.send("GET", `/api/gw/organizations/${id}`);
        expect([status, body]).toEqual([404, { error: "There is no such organization.", code: "NOT_FOUND" } as never]);
      }
    });

    test("the chosen organization stays chosen for the session, and only for that one", async () => {
      const person = await newPerson(app);
      const made = (await person.send("POST", "/api/gw/organizations", { name: "AAA" })).body as Organization;
      await person.send("POST", "/api/gw/organizations/active", { organizationId: person.ownId });
      const { data } = (await person.send("GET", "/api/gw/teams")).body as { data: { organizationId: string }[] };
      expect(data.map(({ organizationId }) => organizationId)).toEqual([person.ownId]);
      const login = await app.call("/api/auth/token", { json: { email: person.email, password: "a good long one" } });
      const { token } = (await login.json()) as { token: string };
      const other = await app.call("/api/gw/teams", { key: token });
      expect(((await other.json()) as { data: { organizationId: string }[] }).data[0]?.organizationId).toBe(made.id);
      expect((await auditOf(person.ownId))[0]).toMatchObject({ action: "organization.activate", userId: person.id });
      expect(await person.send("POST", "/api/gw/organizations/active", {})).toMatchObject({
        status: 400,
        body: { error: "organizationId: Field required" },
      });
    });
  });
}
