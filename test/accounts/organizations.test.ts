import { afterAll, describe, expect, test } from "bun:test";
import type { OrganizationRole } from "../../src/accounts/records.ts";
import { createOrganization } from "../../src/accounts/sign-up.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn } from "./people.ts";

interface Organization {
  id: string;
  name: string;
  ownerId: number;
  role: string;
  updatedAt: string;
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`organizations on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { accounts } = app.storage;

    const list = async (person: Person) =>
      ((await person.send("GET", "/api/gw/organizations/list")).body as { data: Organization[] }).data;
    const join = (organizationId: string, person: Person, role: OrganizationRole) =>
      accounts.organizationMembers.insert({ organizationId, userId: person.id, role, joinedAt: Date.now() });
    const roleOf = async (organizationId: string, person: Person) =>
      (await accounts.organizationMembers.find(organizationId, person.id))?.role ?? null;
    const auditOf = async (organizationId: string) =>
      (await accounts.audit.list({ organizationId }, { page: 1, pageSize: 100 })).rows;

    const owner = await newPerson(app);
    const stranger = await newPerson(app);
    const byRole = {
      owner,
      admin: await newPerson(app),
      member: await newPerson(app),
      viewer: await newPerson(app),
      stranger,
    };
    for (const role of ["admin", "member", "viewer"] as const) await join(owner.ownId, byRole[role], role);
    const home = owner.ownId;
    const membersPath = `/api/gw/organizations/${home}/members`;

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
            timezone: "UTC",
            dataRetentionDays: null,
            status: "active",
            billing: "prepaid",
            models: [],
            budget: null,
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

    test("nobody owns more than fifty, also when several are asked for at once", async () => {
      const person = await newPerson(app);
      for (let count = 1; count < 47; count++)
        await createOrganization(accounts, person.id, `Seed ${count}`, Date.now());
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, index) => person.send("POST", "/api/gw/organizations", { name: `O ${index}` })),
      );
      expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
      const last = await person.send("GET", "/api/gw/organizations/list?page=3");
      expect(last.body).toMatchObject({ meta: { page: 3, total: 50, totalPages: 3 } });
      expect((last.body as { data: unknown[] }).data).toHaveLength(10);
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

    describe("members", () => {
      test("are listed by name, in pages", async () => {
        const { body } = await byRole.viewer.send("GET", `${membersPath}?pageSize=1&page=2`);
        const { admin } = byRole;
        expect(body).toEqual({
          data: [
            {
              id: admin.id,
              userId: admin.id,
              email: admin.email,
              name: "Person 3",
              role: "admin",
              status: "active",
              joinedAt: expect.any(String),
            },
          ],
          meta: { page: 2, pageSize: 1, total: 4, totalPages: 4 },
        } as never);
      });

      /** An organization with one person of each role, and a second owner. */
      async function crew() {
        const founder = await newPerson(app);
        const rest = { second: "owner", admin: "admin", member: "member", viewer: "viewer" } as const;
        const made = { founder } as Record<keyof typeof rest | "founder", Person>;
        for (const [name, role] of Object.entries(rest) as [keyof typeof rest, OrganizationRole][]) {
          made[name] = await newPerson(app);
          await join(founder.ownId, made[name], role);
        }
        const path = (who: Person) => `/api/gw/organizations/${founder.ownId}/members/${who.id}`;
        const setRole = (by: Person, whom: Person, role: string) => by.send("PATCH", path(whom), { role });
        const remove = (by: Person, whom: Person) => by.send("DELETE", path(whom));
        return { ...made, organizationId: founder.ownId, path, setRole, remove };
      }

      test("get other roles from admins and owners; owners only from owners", async () => {
        const { founder, second, admin, member, viewer, organizationId, setRole } = await crew();
        const steps: [Person, Person, OrganizationRole, number][] = [
          [member, viewer, "member", 403],
          [viewer, viewer, "member", 403],
          [member, member, "admin", 403],
          [admin, viewer, "member", 200],
          [admin, viewer, "admin", 200],
          [admin, viewer, "viewer", 200],
          [admin, viewer, "owner", 403],
          [admin, admin, "owner", 403],
          [admin, second, "admin", 403],
          [second, member, "owner", 200],
          [founder, member, "member", 200],
          [admin, admin, "member", 200],
          [admin, viewer, "member", 403],
          [stranger, member, "viewer", 404],
          [founder, stranger, "member", 404],
        ];
        for (const [by, whom, role, status] of steps) {
          const before = await roleOf(organizationId, whom);
          const answer = await setRole(by, whom, role);
          expect(answer.status).toBe(status);
          if (status === 200) expect(answer.body).toMatchObject({ userId: whom.id, role });
          expect(await roleOf(organizationId, whom)).toBe(status === 200 ? role : before);
        }
        const changes = (await auditOf(organizationId)).filter(({ action }) => action === "member.update");
        expect(changes).toHaveLength(steps.filter(([, , , status]) => status === 200).length);
        expect(changes.at(-1)).toMatchObject({
          userId: admin.id,
          targetId: String(viewer.id),
          details: { from: "viewer", to: "member" },
        });
      });

      test("keep their id and the day they joined, whatever else is sent", async () => {
        const { founder, member, organizationId, path } = await crew();
        const before = await accounts.organizationMembers.find(organizationId, member.id);
        const extra = { userId: stranger.id, organizationId: stranger.ownId, joinedAt: 0, email: "x@y", status: "x" };
        expect((await founder.send("PATCH", path(member), { role: "viewer", ...extra })).status).toBe(200);
        expect(await accounts.organizationMembers.find(organizationId, member.id)).toEqual({
          ...before,
          role: "viewer",
        } as never);
        expect((await founder.send("PATCH", path(member), { role: "king" })).status).toBe(400);
        expect((await founder.send("PATCH", path(member), {})).status).toBe(400);
      });

      test("are taken out by admins, owners only by owners, and leave the teams as well", async () => {
        const { founder, second, admin, member, viewer, organizationId, remove } = await crew();
        const [team] = await accounts.teams.list(organizationId);
        const teamId = team?.team.id ?? "";
        await accounts.teamMembers.insert({ teamId, userId: member.id, role: "admin", joinedAt: 0 });
        await member.send("POST", "/api/gw/organizations/active", { organizationId });
        for (const [by, whom, status] of [
          [member, viewer, 403],
          [viewer, member, 403],
          [stranger, member, 404],
          [admin, founder, 403],
          [admin, stranger, 404],
          [admin, member, 200],
          [admin, member, 404],
          [founder, second, 200],
        ] as const) {
          expect((await remove(by, whom)).status).toBe(status);
        }
        expect(await accounts.teamMembers.find(teamId, member.id)).toBeNull();
        expect((await member.send("GET", `/api/gw/organizations/${organizationId}`)).status).toBe(404);
        expect((await member.send("GET", `/api/gw/teams/${teamId}`)).status).toBe(404);
        const teams = await member.send("GET", "/api/gw/teams");
        expect(teams.body).toMatchObject({ data: [{ organizationId: member.ownId }] });
        const removals = (await auditOf(organizationId)).filter(({ action }) => action === "member.remove");
        expect(removals.map(({ targetId }) => targetId)).toEqual([String(second.id), String(member.id)]);
      });

      test("may leave by themselves, whatever their role", async () => {
        const { second, admin, member, viewer, organizationId, remove } = await crew();
        for (const person of [viewer, member, admin, second]) {
          expect(await remove(person, person)).toEqual({ status: 200, body: { success: true } as never });
          expect(await roleOf(organizationId, person)).toBeNull();
        }
        expect((await auditOf(organizationId))[0]).toMatchObject({ action: "member.leave", userId: second.id });
      });

      test("the last owner can neither leave nor be demoted; an heir takes the organization over", async () => {
        const { founder, second, member, organizationId, setRole, remove } = await crew();
        expect((await setRole(second, founder, "admin")).status).toBe(200);
        expect((await accounts.organizations.find(organizationId))?.ownerId).toBe(second.id);
        for (const answer of [await setRole(second, second, "admin"), await remove(second, second)]) {
          expect(answer).toMatchObject({ status: 409, body: { code: "VALIDATION_ERROR" } });
        }
        expect(await roleOf(organizationId, second)).toBe("owner");
        expect((await setRole(second, member, "owner")).status).toBe(200);
        expect((await remove(second, second)).status).toBe(200);
        expect((await accounts.organizations.find(organizationId))?.ownerId).toBe(member.id);
      });

      test("two owners who demote or remove each other at once leave one owner", async () => {
        for (const act of ["setRole", "remove", "leave"] as const) {
          const { founder, second, organizationId, setRole, remove } = await crew();
          const run = (by: Person, whom: Person) =>
            act === "setRole" ? setRole(by, whom, "member") : act === "remove" ? remove(by, whom) : remove(by, by);
          const answers = await Promise.all([run(founder, second), run(second, founder)]);
          expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
          const left = await accounts.organizationMembers.list(organizationId);
          expect(left.filter(({ role }) => role === "owner")).toHaveLength(1);
          const owners = left.filter(({ role }) => role === "owner").map(({ userId }) => userId);
          expect(owners).toEqual([(await accounts.organizations.find(organizationId))?.ownerId ?? 0]);
        }
      });

      test("a member that cannot be is 404", async () => {
        for (const id of ["0", "-1", "x", "1e3", "1.5", "2147483648", "99999999999999999999", "999999"]) {
          const path = `${membersPath}/${id}`;
          expect((await owner.send("PATCH", path, { role: "member" })).status).toBe(404);
          expect((await owner.send("DELETE", path)).status).toBe(404);
        }
      });
    });
  });
}
