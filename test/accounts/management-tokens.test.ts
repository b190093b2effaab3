import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TOKEN_SCOPES, type TokenScope } from "../../src/contract/management-tokens.ts";
import { MASTER_KEY, type TestApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, type Person, startAppOn, WITHOUT_CREDIT } from "./people.ts";

const PATH = "/api/management-tokens";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`management tokens on ${kind}`, () => {
    let app: TestApp;
    let person: Person;
    const clock = new SteppedClock();
    beforeAll(async () => {
      app = await startAppOn(kind, WITHOUT_CREDIT, clock);
      person = await newPerson(app);
    });
    afterAll(() => app.close());

    const create = async (whose: Person, scopes: readonly TokenScope[], more: object = {}) => {
      const { status, body } = await whose.send("POST", PATH, { name: "Terraform", scopes, ...more });
      expect(status).toBe(201);
      return body as { id: string; token: string; maskedToken: string; organizationId: string };
    };
    const send = async (
      token: string,
      method: string,
      path: string,
      json?: unknown,
      more: Record<string, string> = {},
    ) => {
      const headers = { authorization: `Bearer ${token}`, ...more };
      const answer = await app.call(path, { method, headers, ...(json === undefined ? {} : { json }) });
      const text = await answer.text();
      return { status: answer.status, text, body: JSON.parse(text) as never };
    };
    /** In the organization of the person, with their session's word. */
    const join = async (into: Person, who: Person, role = "member") => {
      await app.storage.accounts.organizationMembers.insert({
        organizationId: into.ownId,
        userId: who.id,
        role: role as "member",
        joinedAt: clock.nowMs(),
      });
    };

    test("one is shown once, and listed without its value", async () => {
      const made = await create(person, ["keys:read"]);
      expect(made.token).toMatch(/^mk-[0-9A-Za-z]{49}$/);
      expect(made.maskedToken).toBe(`mk-...${made.token.slice(-4)}`);
      const { body } = await person.send("GET", PATH);
      expect(JSON.stringify(body)).not.toContain(made.token);
      const [listed] = (body as { data: { id: string; scopes: string[]; lastUsedAt: null }[] }).data;
      expect(listed).toMatchObject({ id: made.id, scopes: ["keys:read"], lastUsedAt: null });
    });

    test("it does what its scopes allow, with the person's role, and nothing else", async () => {
      const { token } = await create(person, ["keys:read", "keys:write", "teams:read"]);
      const teams = await send(token, "GET", "/api/gw/teams");
      const [team] = (teams.body as { data: { id: string }[] }).data;
      const key = await send(token, "POST", "/api/gw/api-keys", { name: "ci", team_id: team?.id });
      expect(key.status).toBe(201);
      expect((await send(token, "GET", "/api/api-keys")).text).toContain((key.body as { id: string }).id);
      const refused = await send(token, "POST", "/api/gw/teams", { name: "More" });
      expect(refused.status).toBe(403);
      expect(refused.text).toContain("teams:write");
    });

    test("it changes nothing about who its person is, and makes no tokens", async () => {
      const { token, id } = await create(person, TOKEN_SCOPES);
      const calls: [string, string, unknown?][] = [
        ["GET", PATH],
        ["POST", PATH, { name: "Another", scopes: ["keys:read"] }],
        ["DELETE", `${PATH}/${id}`],
        ["GET", "/api/auth/sessions"],
        ["POST", "/api/auth/logout", {}],
        ["POST", "/api/auth/password/change", { currentPassword: "a good long one", newPassword: "another long one" }],
        ["POST", "/api/auth/2fa/setup", { password: "a good long one" }],
        ["POST", "/api/gw/organizations/active", { organizationId: person.ownId }],
        ["PUT", "/api/gw/organizations", { name: "Renamed" }],
        ["POST", "/api/auth/device/approve", { userCode: "AAAA-AAAA" }],
        ["GET", "/key/list"],
      ];
      for (const [method, path, json] of calls) {
        expect(`${path} ${(await send(token, method, path, json)).status}`).toBe(`${path} 403`);
      }
      expect((await send(token, "POST", "/api/auth/token/refresh", {})).status).toBe(401);
    });

    test("it calls no models, and says why", async () => {
      const { token } = await create(person, TOKEN_SCOPES);
      const body = { model: "echo", messages: [{ role: "user", content: "Hi" }] };
      for (const name of ["authorization", "x-gw-api-key", "x-api-key"]) {
        const answer = await app.call("/v1/chat/completions", { headers: { [name]: `Bearer ${token}` }, json: body });
        expect(answer.status).toBe(401);
        expect(await answer.text()).toContain("A management token was sent");
      }
      const messages = await send(token, "POST", "/api/gw/messages", body);
      expect(messages.status).toBe(403);
      const byKeyId = await app.call("/v1/models", {
        headers: { authorization: `Bearer ${token}`, "x-gw-key-id": "x" },
      });
      expect(byKeyId.status).toBe(401);
    });

    test("it reaches one organization, whatever else its person is in", async () => {
      const other = await newPerson(app);
      await join(other, person, "owner");
      const { token, organizationId } = await create(person, TOKEN_SCOPES, { organizationId: person.ownId });
      expect(organizationId).toBe(person.ownId);
      const [foreignTeam] = (await app.storage.accounts.teams.list(other.ownId)).map(({ team }) => team.id);
      const key = await other.send("POST", "/api/gw/api-keys", { name: "theirs", team_id: foreignTeam });
      const foreignKey = (key.body as { id: string }).id;
      expect((await person.send("GET", `/api/gw/teams/${foreignTeam}`)).status).toBe(200);
      const list = await send(token, "GET", "/api/gw/organizations/list");
      expect((list.body as { data: { id: string }[] }).data.map(({ id }) => id)).toEqual([person.ownId]);
      const named = { "x-organization-id": other.ownId };
      const calls: [string, string, unknown?, Record<string, string>?][] = [
        ["GET", `/api/gw/organizations/${other.ownId}`],
        ["GET", `/api/gw/organizations/${other.ownId}/members`],
        ["GET", `/api/gw/organizations/${other.ownId}/audit-logs`],
        ["GET", `/api/gw/teams/${foreignTeam}`],
        ["PATCH", `/api/gw/teams/${foreignTeam}`, { name: "Taken" }],
        ["GET", `/api/gw/teams/${foreignTeam}/members`],
        ["POST", "/api/gw/api-keys", { name: "x", team_id: foreignTeam }],
        ["GET", `/api/gw/api-keys/${foreignKey}`],
        ["DELETE", `/api/gw/api-keys/${foreignKey}`],
        ["GET", `/api/api-keys?team_id=${foreignTeam}`],
        ["GET", "/api/api-keys", undefined, named],
        ["GET", "/api/gw/teams", undefined, named],
        ["POST", "/api/gw/teams", { name: "x" }, named],
        ["GET", "/api/invitations", undefined, named],
        ["GET", "/api/gw/logs", undefined, named],
        ["GET", `/api/gw/usage?teamId=${foreignTeam}`],
        ["GET", "/api/balance", undefined, named],
        ["GET", "/api/billing/ledger", undefined, named],
        ["GET", "/api/billing/purchases", undefined, named],
        ["GET", "/api/billing/alerts", undefined, named],
      ];
      for (const [method, path, json, headers] of calls) {
        expect(`${method} ${path} ${(await send(token, method, path, json, headers)).status}`).toBe(
          `${method} ${path} 404`,
        );
      }
    });

    test("an administrator of the installation is none by token", async () => {
      const admin = await newPerson(app);
      await app.storage.accounts.users.update(admin.id, { role: "admin" });
      const { token } = await create(admin, TOKEN_SCOPES);
      expect((await admin.send("GET", "/api/admin/users")).status).toBe(200);
      expect((await send(token, "GET", "/api/admin/users")).status).toBe(403);
      expect((await send(token, "GET", `/api/gw/organizations/${person.ownId}`)).status).toBe(404);
      expect((await send(token, "GET", "/api/auth/me")).body).toMatchObject({ user: { role: "user" } });
    });

    test("with `metrics:read` it reads the metrics, and nothing else, while its person administers the server", async () => {
      const admin = await newPerson(app);
      const { users } = app.storage.accounts;
      await users.update(admin.id, { role: "admin" });
      const { token } = await create(admin, ["metrics:read"]);
      const scrape = (sent: string) => app.call("/metrics", { headers: { authorization: `Bearer ${sent}` } });
      const metrics = await scrape(token);
      expect([metrics.status, await metrics.text()]).toEqual([200, expect.stringContaining("turnpike_")]);
      for (const path of ["/api/admin/users", "/api/gw/organizations/list", "/api/auth/me"]) {
        expect((await send(token, "GET", path)).status).toBe(403);
      }
      const others = TOKEN_SCOPES.filter((scope) => scope !== "metrics:read");
      expect((await scrape((await create(admin, others)).token)).status).toBe(403);
      expect((await scrape((await create(person, ["metrics:read"])).token)).status).toBe(403);
      await users.update(admin.id, { role: "user" });
      expect((await scrape(token)).status).toBe(403);
    });

    test("it is for organizations that one is in", async () => {
      const stranger = await newPerson(app);
      const foreign = { name: "x", scopes: ["keys:read"], organizationId: person.ownId };
      expect((await stranger.send("POST", PATH, foreign)).status).toBe(404);
      for (const scopes of [[], ["everything"], ["keys:read", "*"]]) {
        expect((await stranger.send("POST", PATH, { name: "x", scopes })).status).toBe(400);
      }
      const past = { name: "x", scopes: ["keys:read"], expiresAt: "2001-01-01T00:00:00Z" };
      expect((await stranger.send("POST", PATH, past)).status).toBe(400);
    });

    test("it ends at once when it is removed, by its own person alone", async () => {
      const { token, id } = await create(person, ["teams:read"]);
      const stranger = await newPerson(app);
      expect((await stranger.send("DELETE", `${PATH}/${id}`)).status).toBe(404);
      expect((await send(token, "GET", "/api/gw/teams")).status).toBe(200);
      expect((await person.send("DELETE", `${PATH}/${id}`)).status).toBe(200);
      expect((await send(token, "GET", "/api/gw/teams")).status).toBe(401);
      expect((await person.send("DELETE", `${PATH}/${id}`)).status).toBe(404);
    });

    test("it ends at its time", async () => {
      const expiresAt = new Date(clock.nowMs() + 3_600_000).toISOString();
      const { token } = await create(person, ["teams:read"], { expiresAt });
      expect((await send(token, "GET", "/api/gw/teams")).status).toBe(200);
      const late = await newPerson(app);
      const { token: other } = await create(late, ["teams:read"]);
      clock.step(3_600_000);
      expect((await send(token, "GET", "/api/gw/teams")).text).toContain("This token has expired.");
      expect((await send(other, "GET", "/api/gw/teams")).status).toBe(200);
    });

    test("it ends when its person leaves the organization, and coming back does not bring it back", async () => {
      const member = await newPerson(app);
      await join(person, member);
      const { token } = await create(member, ["organization:read"], { organizationId: person.ownId });
      const { token: own } = await create(member, ["organization:read"], { organizationId: member.ownId });
      expect((await send(token, "GET", "/api/gw/organizations/list")).status).toBe(200);
      const gone = await person.send("DELETE", `/api/gw/organizations/${person.ownId}/members/${member.id}`);
      expect(gone.status).toBe(200);
      expect((await send(token, "GET", "/api/gw/organizations/list")).status).toBe(401);
      await join(person, member);
      expect((await send(token, "GET", "/api/gw/organizations/list")).status).toBe(401);
      expect((await send(own, "GET", "/api/gw/organizations/list")).status).toBe(200);
    });

    test("its rights go with those of its person", async () => {
      const member = await newPerson(app);
      await join(person, member, "admin");
      const { token } = await create(member, ["teams:write"], { organizationId: person.ownId });
      expect((await send(token, "POST", "/api/gw/teams", { name: "While admin" })).status).toBe(201);
      await person.send("PATCH", `/api/gw/organizations/${person.ownId}/members/${member.id}`, { role: "viewer" });
      expect((await send(token, "POST", "/api/gw/teams", { name: "As viewer" })).status).toBe(403);
    });

    test.each(["disabled", "removed"])("it ends when its person is %s", async (how) => {
      const member = await newPerson(app);
      await join(person, member);
      const { token } = await create(member, ["organization:read"], { organizationId: person.ownId });
      expect((await send(token, "GET", "/api/gw/organizations/list")).status).toBe(200);
      const path = `/api/admin/users/${member.id}`;
      const [method, json] = how === "removed" ? ["DELETE"] : (["PATCH", { status: "disabled" }] as const);
      expect((await send(MASTER_KEY, method, path, json)).status).toBe(200);
      expect((await send(token, "GET", "/api/gw/organizations/list")).status).toBe(401);
      if (how === "disabled") await send(MASTER_KEY, "PATCH", path, { status: "active" });
      expect((await send(token, "GET", "/api/gw/organizations/list")).status).toBe(401);
    });

    test("when it was last used is told", async () => {
      const { token, id } = await create(person, ["teams:read"]);
      await send(token, "GET", "/api/gw/teams");
      const { body } = await person.send("GET", `${PATH}?pageSize=100`);
      const found = (body as { data: { id: string; lastUsedAt: string }[] }).data.find((one) => one.id === id);
      expect(found?.lastUsedAt).toBe(new Date(clock.nowMs()).toISOString());
    });

    test("the audit log has its making and its end, and which token changed something", async () => {
      const { token, id } = await create(person, ["teams:write", "audit:read"]);
      await send(token, "POST", "/api/gw/teams", { name: "By a program" });
      await person.send("DELETE", `${PATH}/${id}`);
      const { body } = await person.send("GET", `/api/gw/organizations/${person.ownId}/audit-logs?pageSize=100`);
      const rows = (body as { data: { action: string; targetId: string; details: Record<string, unknown> }[] }).data;
      const about = rows.filter(({ targetId, details }) => targetId === id || details.tokenId === id);
      expect(about.map(({ action }) => action)).toEqual([
        "management_token.remove",
        "team.create",
        "management_token.create",
      ]);
      expect(JSON.stringify(rows)).not.toContain(token);
    });

    test("a person has at most fifty in an organization", async () => {
      const many = await newPerson(app);
      for (let made = 0; made < 50; made++) await create(many, ["keys:read"]);
      expect((await many.send("POST", PATH, { name: "x", scopes: ["keys:read"] })).status).toBe(409);
    });

    test("who guesses at tokens is slowed down", async () => {
      const guess = async (text: string) => {
        const headers = { authorization: `Bearer mk-${text}` };
        return (await app.call("/api/gw/teams", { headers, remoteAddress: "203.0.113.7" })).status;
      };
      const statuses = new Set<number>();
      for (let at = 0; at < 70; at++) statuses.add(await guess(`${at}`.padStart(49, "x")));
      expect([...statuses]).toEqual([401, 429]);
    });
  });
}
