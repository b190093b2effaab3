import { afterAll, afterEach, describe, expect, test } from "bun:test";
import type { OrganizationRole } from "../../src/accounts/records.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn } from "./people.ts";

interface Team {
  id: string;
  name: string;
  organizationId: string;
  members: { userId: number; role: string }[];
}

const NOWHERE = "00000000-0000-0000-0000-000000000000";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`teams on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { accounts } = app.storage;

    /** Everybody works in the organization of the owner, but for the stranger. `lead` is a member who runs the team. */
    const owner = await newPerson(app);
    const home = owner.ownId;
    const stranger = await newPerson(app);
    const roles = { admin: "admin", lead: "member", insider: "member", member: "member", viewer: "viewer" } as const;
    const cast = { owner, stranger } as Record<keyof typeof roles | "owner" | "stranger", Person>;
    for (const [name, role] of Object.entries(roles) as [keyof typeof roles, OrganizationRole][]) {
      cast[name] = await newPerson(app);
      await accounts.organizationMembers.insert({ organizationId: home, userId: cast[name].id, role, joinedAt: 0 });
      await cast[name].send("POST", "/api/gw/organizations/active", { organizationId: home });
    }
    const WHO = ["owner", "admin", "lead", "insider", "member", "viewer", "stranger"] as const;

    let made = 0;
    /** Removed after each test: an organization has room for fifty. */
    const passing: string[] = [];
    afterEach(async () => {
      for (const id of passing.splice(0)) await accounts.teams.remove(id);
    });
    async function newTeam(name = `Team ${++made}`): Promise<Team> {
      const { status, body } = await owner.send("POST", "/api/gw/teams", { name });
      expect(status).toBe(201);
      const team = body as Team;
      passing.push(team.id);
      await accounts.teamMembers.insert({ teamId: team.id, userId: cast.lead.id, role: "admin", joinedAt: 0 });
      await accounts.teamMembers.insert({ teamId: team.id, userId: cast.insider.id, role: "member", joinedAt: 0 });
      return team;
    }
    const lastLine = async () =>
      (await accounts.audit.list({ organizationId: home }, { page: 1, pageSize: 1 })).rows[0] ?? null;
    const table = (statuses: readonly number[]) => WHO.map((who, index) => [who, statuses[index] ?? 0] as const);

    describe("creating one", () => {
      test("answers the team; its creator runs it, and the log has it", async () => {
        const { status, body } = await cast.admin.send("POST", "/api/gw/teams", { name: " Search " });
        expect(status).toBe(201);
        expect(body).toEqual({
          id: expect.any(String),
          name: "Search",
          organizationId: home,
          status: "active",
          blocked: false,
          blockedReason: null,
          budget: null,
          softBudget: null,
          rpmLimit: null,
          tpmLimit: null,
          parallelLimit: null,
          models: [],
          modelAliases: {},
          guardrails: [],
          tags: [],
          metadata: {},
          membersCount: 1,
          keysCount: 0,
          createdAt: expect.stringMatching(/Z$/),
          updatedAt: expect.stringMatching(/Z$/),
        } as never);
        const { id } = body as Team;
        expect(await accounts.teamMembers.find(id, cast.admin.id)).toMatchObject({ role: "admin" });
        expect(await lastLine()).toMatchObject({
          action: "team.create",
          userId: cast.admin.id,
          targetType: "team",
          targetId: id,
          details: { name: "Search" },
        });
      });

      test.each(table([201, 201, 403, 403, 403, 403, 404]))("by %s is %d", async (who, status) => {
        const headers = { "x-organization-id": home };
        expect((await cast[who].send("POST", "/api/gw/teams", { name: `By ${who}` }, headers)).status).toBe(status);
      });

      test("takes the header's organization before the session's, and never the body's", async () => {
        const body = { name: "Abroad", organizationId: stranger.ownId, organization_id: stranger.ownId };
        expect((await owner.send("POST", "/api/gw/teams", body)).body).toMatchObject({ organizationId: home });
        const headers = { "x-organization-id": cast.admin.ownId };
        const answer = await cast.admin.send("POST", "/api/gw/teams", { name: "Abroad" }, headers);
        expect(answer.body).toMatchObject({ organizationId: cast.admin.ownId });
      });

      test("takes nothing that was not offered", async () => {
        const extra = {
          id: NOWHERE,
          status: "blocked",
          blockedReason: "admin",
          models: ["echo"],
          createdAt: 0,
          role: "x",
        };
        const { body } = await owner.send("POST", "/api/gw/teams", { name: "Plain", ...extra });
        expect(body).toMatchObject({ status: "active", blocked: false, blockedReason: null, models: [] });
        expect((body as Team).id).not.toBe(NOWHERE);
      });

      test("with a name that is taken is 409; another organization may have it", async () => {
        const team = await newTeam();
        expect(await owner.send("POST", "/api/gw/teams", { name: `${team.name} ` })).toMatchObject({
          status: 409,
          body: { code: "VALIDATION_ERROR" },
        });
        expect((await stranger.send("POST", "/api/gw/teams", { name: team.name })).status).toBe(201);
        const racers = Array.from({ length: 5 }, () => stranger.send("POST", "/api/gw/teams", { name: "Race" }));
        expect((await Promise.all(racers)).map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
      });

      test.each([
        ["nothing", {}],
        ["an empty name", { name: " " }],
        ["a long name", { name: "x".repeat(101) }],
        ["a NUL", { name: "a\0" }],
        ["a list", { name: ["a"] }],
      ])("with %s is 400", async (_, body) => {
        expect(await owner.send("POST", "/api/gw/teams", body)).toMatchObject({
          status: 400,
          body: { code: "VALIDATION_ERROR" },
        });
      });

      test("stops at fifty, also when several are asked for at once", async () => {
        const person = await newPerson(app);
        const [first] = await accounts.teams.list(person.ownId);
        if (!first) throw new Error("no team");
        for (let count = 1; count < 47; count++) {
          await accounts.teams.insert({ ...first.team, id: `seed-${person.id}-${count}`, name: `Seed ${count}` });
        }
        const answers = await Promise.all(
          Array.from({ length: 6 }, (_, index) => person.send("POST", "/api/gw/teams", { name: `T ${index}` })),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
        const { body } = await person.send("GET", "/api/gw/teams?page=3");
        expect(body).toMatchObject({ meta: { page: 3, pageSize: 20, total: 50, totalPages: 3 } });
        expect((body as { data: Team[] }).data).toHaveLength(10);
      });
    });

    test("members list the teams that they are in, viewers and admins all", async () => {
      const team = await newTeam();
      const idsOf = async (who: (typeof WHO)[number]) => {
        const { body } = await cast[who].send("GET", "/api/gw/teams?pageSize=100");
        return (body as { data: Team[] }).data.map(({ id }) => id);
      };
      const all = (await accounts.teams.list(home)).map((one) => one.team.id);
      for (const who of ["owner", "admin", "viewer"] as const) expect(await idsOf(who)).toEqual(all);
      expect(await idsOf("insider")).toContain(team.id);
      expect((await idsOf("insider")).length).toBeLessThan(all.length);
      expect(await idsOf("member")).toEqual([]);
      expect(await idsOf("stranger")).not.toContain(team.id);
    });

    test("the details have the members, and counts that fit", async () => {
      const team = await newTeam();
      const { status, body } = await cast.insider.send("GET", `/api/gw/teams/${team.id}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ ...team, membersCount: 3, keysCount: 0 });
      const person = (who: Person, role: string, name: string) => ({
        id: who.id,
        userId: who.id,
        email: who.email,
        name,
        role,
        status: "active",
        joinedAt: expect.any(String),
        budget: null,
        rpmLimit: null,
        tpmLimit: null,
      });
      const members = [
        person(owner, "admin", "Person 1"),
        person(cast.lead, "admin", "Person 4"),
        person(cast.insider, "member", "Person 5"),
      ];
      expect((body as Team).members).toEqual(members as never);
      const listed = await cast.insider.send("GET", `/api/gw/teams/${team.id}/members?pageSize=2`);
      expect(listed.body).toEqual({
        data: members.slice(0, 2),
        meta: { page: 1, pageSize: 2, total: 3, totalPages: 2 },
      } as never);
    });

    test.each(table([200, 200, 200, 200, 404, 200, 404]))("reading one by %s is %d", async (who, status) => {
      const { id } = await newTeam();
      expect((await cast[who].send("GET", `/api/gw/teams/${id}`)).status).toBe(status);
      expect((await cast[who].send("GET", `/api/gw/teams/${id}/members`)).status).toBe(status);
      // Another tenant's header neither opens nor hides what the path names.
      const headers = { "x-organization-id": stranger.ownId };
      expect((await cast[who].send("GET", `/api/gw/teams/${id}`, undefined, headers)).status).toBe(status);
    });

    describe("changing one", () => {
      test.each(table([200, 200, 200, 403, 404, 403, 404]))("its name by %s is %d", async (who, status) => {
        const team = await newTeam();
        const { body, ...answer } = await cast[who].send("PATCH", `/api/gw/teams/${team.id}`, {
          name: `New ${team.id}`,
        });
        expect(answer.status).toBe(status);
        const after = await accounts.teams.find(team.id);
        expect(after?.name).toBe(status === 200 ? `New ${team.id}` : team.name);
        if (status !== 200) return;
        expect(body).toMatchObject({ id: team.id, name: `New ${team.id}`, membersCount: 3 });
        const details = { name: `New ${team.id}`, before: { name: team.name } };
        expect(await lastLine()).toMatchObject({
          action: "team.update",
          userId: cast[who].id,
          targetId: team.id,
          details,
        });
      });

      test.each(table([200, 200, 403, 403, 404, 403, 404]))("its models by %s is %d", async (who, status) => {
        const { id } = await newTeam();
        const answer = await cast[who].send("PATCH", `/api/gw/teams/${id}`, { models: ["echo", "gpt", "echo"] });
        expect(answer.status).toBe(status);
        expect((await accounts.teams.find(id))?.models).toEqual(status === 200 ? ["echo", "gpt"] : []);
      });

      test("changes nothing that was not offered, and writes no line for nothing", async () => {
        const { id } = await newTeam();
        const before = await accounts.teams.find(id);
        const line = await lastLine();
        const extra = {
          id: NOWHERE,
          organizationId: stranger.ownId,
          status: "blocked",
          blockedReason: "admin",
          createdAt: 0,
        };
        expect((await owner.send("PATCH", `/api/gw/teams/${id}`, { ...extra, updatedAt: 0 })).status).toBe(200);
        expect(await accounts.teams.find(id)).toEqual(before);
        expect(await lastLine()).toEqual(line);
      });

      test("to another team's name is 409, to its own is fine", async () => {
        const [one, two] = [await newTeam(), await newTeam()];
        expect((await owner.send("PATCH", `/api/gw/teams/${one.id}`, { name: two.name })).status).toBe(409);
        expect((await owner.send("PATCH", `/api/gw/teams/${one.id}`, { name: one.name })).status).toBe(200);
      });

      test.each([
        ["no name", { name: null }],
        ["an empty name", { name: "" }],
        ["a model in place of models", { models: "echo" }],
        ["a model without a name", { models: [""] }],
        ["a model with a NUL", { models: ["a\0"] }],
        ["too many models", { models: Array.from({ length: 1001 }, (_, index) => `model-${index}`) }],
      ])("to %s is 400", async (_, body) => {
        const { id } = await newTeam();
        expect((await owner.send("PATCH", `/api/gw/teams/${id}`, body)).status).toBe(400);
      });
    });

    test.each(table([200, 200, 403, 403, 404, 403, 404]))("deleting one by %s is %d", async (who, status) => {
      const { id, name } = await newTeam();
      const answer = await cast[who].send("DELETE", `/api/gw/teams/${id}`);
      expect(answer.status).toBe(status);
      expect((await accounts.teams.find(id)) === null).toBe(status === 200);
      if (status !== 200) return;
      expect(answer.body).toEqual({ success: true } as never);
      expect(await accounts.teamMembers.find(id, owner.id)).toBeNull();
      expect(await lastLine()).toMatchObject({ action: "team.remove", targetId: id, details: { name } });
      expect((await cast[who].send("DELETE", `/api/gw/teams/${id}`)).status).toBe(404);
    });

    describe("inviting", () => {
      const invite = (by: Person, body: object) => by.send("POST", "/api/gw/teams/invite-member", body);

      /** Somebody who is in the organization, but in no team of it. */
      async function colleague() {
        const person = await newPerson(app);
        const membership = { organizationId: home, userId: person.id, role: "member", joinedAt: 0 } as const;
        await accounts.organizationMembers.insert(membership);
        return person;
      }

      test("adds somebody of the organization to the team at once", async () => {
        const { id, name } = await newTeam();
        const guest = await colleague();
        const body = { team_id: id, teamName: name, email: ` ${guest.email.toUpperCase()}`, role: "admin" };
        const { status, body: member } = await invite(cast.lead, body);
        expect(status).toBe(200);
        expect(member).toEqual({
          id: guest.id,
          userId: guest.id,
          email: guest.email,
          name: expect.any(String),
          role: "admin",
          status: "active",
          joinedAt: expect.any(String),
        } as never);
        expect(await accounts.teamMembers.find(id, guest.id)).toMatchObject({ role: "admin" });
        expect(await lastLine()).toMatchObject({
          action: "team.add_member",
          userId: cast.lead.id,
          targetId: id,
          details: { userId: guest.id, role: "admin" },
        });
        expect((await guest.send("GET", `/api/gw/teams/${id}`)).status).toBe(200);
        expect((await invite(cast.lead, body)).status).toBe(409);
      });

      test.each(["member", "viewer"])("as %s keeps the role that a person has in the organization", async (role) => {
        const { id } = await newTeam();
        expect((await invite(owner, { teamId: id, email: cast.viewer.email, role })).status).toBe(200);
        expect(await accounts.organizationMembers.find(home, cast.viewer.id)).toMatchObject({ role: "viewer" });
        expect(await accounts.teamMembers.find(id, cast.viewer.id)).toMatchObject({ role: "member" });
      });

      test.each(table([200, 200, 200, 403, 404, 403, 404]))("by %s is %d", async (who, status) => {
        const { id } = await newTeam();
        const guest = await colleague();
        const known = await invite(cast[who], { teamId: id, email: guest.email, role: "member" });
        const unknown = await invite(cast[who], { teamId: id, email: `nobody-${id}@example.com`, role: "member" });
        expect([known.status, unknown.status]).toEqual([status, status]);
        // Only those who may invite learn who is there.
        if (status !== 200) expect(unknown).toEqual(known);
        else expect(unknown.body).toMatchObject({ status: "pending", email: `nobody-${id}@example.com` });
        expect((await accounts.teamMembers.find(id, guest.id)) !== null).toBe(status === 200);
      });

      test("takes nothing that was not offered", async () => {
        const { id } = await newTeam();
        const guest = await colleague();
        const extra = { userId: owner.id, organizationId: stranger.ownId, organizationRole: "owner", joinedAt: 0 };
        const { body } = await invite(owner, { teamId: id, email: guest.email, role: "member", ...extra });
        expect(body).toMatchObject({ userId: guest.id, role: "member" });
        expect(await accounts.organizationMembers.find(home, guest.id)).toMatchObject({ role: "member" });
        expect(await accounts.organizationMembers.find(stranger.ownId, guest.id)).toBeNull();
      });

      test.each([
        ["no team", { teamId: undefined }],
        ["a team with a NUL", { teamId: "a\0" }],
        ["no e-mail", { email: undefined }],
        ["no address", { email: "nobody" }],
        ["an address with a NUL", { email: "a\0@b" }],
        ["two addresses", { email: "a@example.com,b@example.com" }],
        ["no role", { role: undefined }],
        ["the role owner", { role: "owner" }],
      ])("with %s is 400", async (_, change) => {
        const { id } = await newTeam();
        const body = { teamId: id, email: stranger.email, role: "member", ...change };
        expect(await invite(owner, body)).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
      });

      test("somebody many times at once adds them once", async () => {
        const { id } = await newTeam();
        const guest = await colleague();
        const body = { teamId: id, email: guest.email, role: "member" };
        const answers = await Promise.all(Array.from({ length: 4 }, () => invite(owner, body)));
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
      });

      test("and being taken out of the organization at once never leaves somebody in the team alone", async () => {
        const { id } = await newTeam();
        for (let round = 0; round < 5; round++) {
          const guest = await newPerson(app);
          await accounts.organizationMembers.insert({
            organizationId: home,
            userId: guest.id,
            role: "member",
            joinedAt: 0,
          });
          await Promise.all([
            invite(owner, { teamId: id, email: guest.email, role: "member" }),
            owner.send("DELETE", `/api/gw/organizations/${home}/members/${guest.id}`),
          ]);
          const inTeam = (await accounts.teamMembers.find(id, guest.id)) !== null;
          const inOrganization = (await accounts.organizationMembers.find(home, guest.id)) !== null;
          expect(inTeam).toBe(inOrganization);
        }
      });
    });

    describe("taking somebody out", () => {
      const remove = (by: Person, body: object) => by.send("POST", "/api/gw/teams/remove-member", body);

      test.each(table([200, 200, 200, 403, 404, 403, 404]))("by %s is %d", async (who, status) => {
        const { id } = await newTeam();
        const guest = await newPerson(app);
        await accounts.organizationMembers.insert({
          organizationId: home,
          userId: guest.id,
          role: "member",
          joinedAt: 0,
        });
        await accounts.teamMembers.insert({ teamId: id, userId: guest.id, role: "member", joinedAt: 0 });
        const answer = await remove(cast[who], { teamId: id, memberId: guest.id });
        expect(answer.status).toBe(status);
        expect((await accounts.teamMembers.find(id, guest.id)) === null).toBe(status === 200);
        expect(await accounts.organizationMembers.find(home, guest.id)).not.toBeNull();
        if (status !== 200) return;
        expect(answer.body).toEqual({ success: true } as never);
        expect(await lastLine()).toMatchObject({
          action: "team.remove_member",
          targetId: id,
          details: { userId: guest.id },
        });
      });

      test("takes the id as text too, in both spellings, and everybody may leave", async () => {
        const { id } = await newTeam();
        expect((await remove(cast.insider, { team_id: id, member_id: String(cast.insider.id) })).status).toBe(200);
        expect(await accounts.teamMembers.find(id, cast.insider.id)).toBeNull();
        expect((await remove(cast.insider, { teamId: id, memberId: cast.insider.id })).status).toBe(404);
      });

      test.each([[0], [-1], [2_147_483_648], ["99999999999999999999"], [999_999]])("%p is 404", async (memberId) => {
        const { id } = await newTeam();
        expect((await remove(owner, { teamId: id, memberId })).status).toBe(404);
        expect((await remove(owner, { teamId: NOWHERE, memberId: owner.id })).status).toBe(404);
      });

      test.each([[undefined], [null], ["x"], [1.5], [["1"]]])("%p is 400", async (memberId) => {
        const { id } = await newTeam();
        expect((await remove(owner, { teamId: id, memberId })).status).toBe(400);
        expect((await remove(owner, { memberId: owner.id })).status).toBe(400);
      });
    });
  });
}
