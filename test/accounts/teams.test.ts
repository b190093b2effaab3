import { describe, expect, test } from "bun:test";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person } from "./people.ts";
import { startTeams, type Team } from "./team-cast.ts";

const NOWHERE = "00000000-0000-0000-0000-000000000000";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`teams on ${kind}`, async () => {
    if (missing) return;
    const { app, accounts, owner, home, stranger, cast, WHO, newTeam, lastLine, table } = await startTeams(kind);

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
          budgetWindow: null,
          softBudget: null,
          rpmLimit: null,
          tpmLimit: null,
          parallelLimit: null,
          models: [],
          modelAliases: {},
          modelLimits: {},
          furtherBudgets: [],
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
          createdAt: 0,
          role: "x",
        };
        const { body } = await owner.send("POST", "/api/gw/teams", { name: "Plain", ...extra });
        expect(body).toMatchObject({ status: "active", blocked: false, blockedReason: null });
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
  });
}
