import { afterAll, describe, expect, test } from "bun:test";
import { newPerson, startAppOn } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { newCall } from "../storage/new-usage.ts";
import { errorFormat } from "./face.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`users by ids that the operator chose, on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { post, get, send } = errorFormat(app, MASTER_KEY);
    const spend = async (token: string, cost: bigint) => {
      const found = await app.storage.accounts.keys.find(token);
      if (!found) throw new Error(`there is no key ${token}`);
      const { key, team } = found;
      const whose = { organizationId: team.organizationId, teamId: team.id, keyId: key.id, userId: key.createdBy };
      await app.storage.usage.record([newCall({ ...whose, cost, at: Date.now() })]);
    };

    test("a key for an unknown id creates a user without sign-in, once", async () => {
      const made = await post("/key/generate", { user_id: "alice" });
      expect(made).toMatchObject({ status: 200, body: { user_id: "alice", created_by: "alice" } });
      expect((await post("/key/generate", { user_id: "alice" })).body.user_id).toBe("alice");
      const info = (await get("/user/info?user_id=alice")).body;
      expect(info).toMatchObject({
        user_id: "alice",
        user_info: { user_id: "alice", user_email: null, user_alias: "alice", sign_in: false },
      });
      expect(info.keys).toHaveLength(2);
      expect((await get("/key/list?user_id=alice")).body.total_count).toBe(2);
      expect((await get(`/key/info?key=${made.body.token}`)).body.info.user_id).toBe("alice");
      const rows = (await get("/user/list?user_ids=alice")).body.users;
      expect(rows).toMatchObject([{ user_id: "alice", spend: 0 }]);
    });

    test("many requests at once for one new id create one user", async () => {
      const organizations = await Promise.all(
        ["A", "B", "C"].map((name) => post("/organization/new", { organization_alias: name })),
      );
      const teams = await Promise.all(
        organizations.map(({ body }) => post("/team/new", { organization_id: body.organization_id })),
      );
      const ids = [...teams, ...teams].map(({ body }) => body.team_id);
      const made = await Promise.all(ids.map((team_id) => post("/key/generate", { user_id: "rush", team_id })));
      expect(made.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
      expect((await get("/user/list?user_ids=rush")).body.total).toBe(1);
    });

    test("spend is by these ids", async () => {
      const { token } = (await post("/key/generate", { user_id: "spender@example.com" })).body;
      await spend(token, 1_500_000_000n);
      const id = encodeURIComponent("spender@example.com");
      expect((await get(`/spend/logs?user_id=${id}`)).body).toMatchObject([
        { user: "spender@example.com", spend: 1.5 },
      ]);
      expect((await get(`/spend/logs/v2?user_id=${id}`)).body).toMatchObject({ total: 1 });
      const [day] = (await get(`/spend/logs?user_id=${id}&start_date=${new Date().toISOString().slice(0, 10)}`)).body;
      expect(day.users).toEqual({ "spender@example.com": 1.5 });
      const { results } = (await get(`/user/daily/activity?user_id=${id}`)).body;
      expect(results[0].breakdown.entities["spender@example.com"].metrics.spend).toBe(1.5);
      const [reported] = (await get(`/global/spend/report?internal_user_id=${id}`)).body;
      expect(reported.teams).toMatchObject([{ total_spend: 1.5 }]);
      expect((await get(`/spend/users?user_id=${id}`)).body).toEqual([
        { user_id: "spender@example.com", user_email: null, spend: 1.5 },
      ]);
      expect((await get(`/user/info?user_id=${id}`)).body.user_info.spend).toBe(1.5);
      expect((await get("/spend/logs?user_id=not-there")).body).toEqual([]);
    });

    test("teams and organizations have such members, who are changed and removed by their id", async () => {
      const members_with_roles = [{ role: "admin", user_id: "lead" }];
      const team = await post("/team/new", { team_id: "crew", members_with_roles });
      expect(team.body.members_with_roles).toEqual([{ user_id: "lead", user_email: null, role: "admin" }]);
      const added = await post("/team/member_add", {
        team_id: "crew",
        member: [
          { role: "user", user_id: "mate" },
          { role: "user", user_id: "mail", user_email: "mail@example.com" },
        ],
        max_budget_in_team: 2,
      });
      expect(added.body.updated_team_memberships).toMatchObject([
        { user_id: "mate", max_budget_in_team: 2 },
        { user_id: "mail", max_budget_in_team: 2 },
      ]);
      expect(added.body.updated_users[1]).toMatchObject({ user_id: "mail", user_email: "mail@example.com" });
      const changed = await post("/team/member_update", { team_id: "crew", user_id: "mate", role: "admin" });
      expect(changed.body).toMatchObject({ user_id: "mate", role: "admin" });
      expect((await get("/team/list?user_id=mate")).body).toMatchObject([{ team_id: "crew" }]);
      expect((await post("/team/member_delete", { team_id: "crew", user_id: "mate" })).status).toBe(200);
      expect((await get("/team/list?user_id=mate")).body).toEqual([]);
      const { organization_id } = team.body;
      const member = { organization_id, user_id: "mate" };
      const moved = await send("PATCH", "/organization/member_update", { ...member, role: "internal_user_viewer" });
      expect(moved.body).toMatchObject({ user_id: "mate", user_role: "internal_user_viewer" });
      expect((await send("DELETE", "/organization/member_delete", member)).body.user_id).toBe("mate");
    });

    test("a user is made, changed and deleted by a chosen id, which is free afterwards", async () => {
      const made = await post("/user/new", { user_id: "bob", user_alias: "Bob", max_budget: 3 });
      expect(made).toMatchObject({ status: 200, body: { user_id: "bob", user_email: null, user_alias: "Bob" } });
      expect(made.body.key).toStartWith("sk-");
      expect(await post("/user/new", { user_id: "bob" })).toMatchObject({
        status: 409,
        body: { error: { param: "user_id" } },
      });
      const updated = await post("/user/update", { user_id: "bob", max_budget: 4 });
      expect(updated.body).toMatchObject({ user_id: "bob", data: { user_id: "bob", max_budget: 4 } });
      expect((await post("/user/delete", { user_ids: ["bob"] })).body).toEqual({ deleted_users: ["bob"] });
      expect((await get("/user/info?user_id=bob")).status).toBe(404);
      expect((await app.call("/v1/models", { key: made.body.key })).status).toBe(401);
      const again = (await post("/user/new", { user_id: "bob" })).body;
      expect(again).toMatchObject({ user_id: "bob", spend: 0, max_budget: null });
    });

    test("without an id and an email the server makes up the id", async () => {
      const { user_id } = (await post("/user/new", { auto_create_key: false })).body;
      expect(user_id).toMatch(/^[0-9a-f-]{36}$/);
      expect((await get(`/user/info?user_id=${user_id}`)).status).toBe(200);
    });

    test.each(["12", " padded", "padded ", "new\nline", "x".repeat(255)])("%j is refused as an id", async (user_id) => {
      const { status, body } = await post("/user/new", { user_id });
      expect([400, 422]).toContain(status);
      expect(JSON.stringify(body)).toContain("user_id");
    });

    test.each([
      [{ password: "a good long one" }, "password", "/password-reset"],
      [{ key_alias: "k" }, "key_alias", "POST /key/generate"],
      [{ blocked: true }, "blocked", "PATCH /api/admin/users/{id}"],
      [{ spend: 3 }, "spend", "usage log"],
    ])("%j is refused with a way out", async (json, param, way) => {
      const { status, body } = await post("/user/new", { user_id: "refused", ...json });
      expect([status, body.error.param, body.error.message]).toEqual([400, param, expect.stringContaining(way)]);
    });

    test("an unknown number is not an id to choose, and the error says so", async () => {
      const { status, body } = await post("/key/generate", { user_id: "987654" });
      expect(status).toBe(404);
      expect(body.error.message).toContain("This server gives out ids of digits");
    });

    test("only the operator chooses ids, and other organizations' ids are not there", async () => {
      const owner = await newPerson(app);
      const own = errorFormat(app, owner.token);
      await post("/key/generate", { user_id: "secret-user" });
      const before = (await get("/user/list")).body.total;
      for (const user_id of ["secret-user", "made-up"]) {
        expect((await own.post("/key/generate", { user_id })).body.error.message).toBe("There is no such user.");
        expect((await own.get(`/user/info?user_id=${user_id}`)).status).toBe(404);
        expect((await own.get(`/key/list?user_id=${user_id}`)).status).toBe(404);
        const members_with_roles = [{ role: "user", user_id }];
        expect((await own.post("/team/new", { team_alias: `of ${user_id}`, members_with_roles })).status).toBe(404);
      }
      expect((await own.post("/user/new", { user_id: "mine" })).status).toBe(403);
      expect((await get("/user/list")).body.total).toBe(before);
    });

    test("a record without sign-in gets no password link and no rights of an administrator, until it has an email", async () => {
      const id = (await app.storage.accounts.users.findByExternalId("alice"))?.id;
      const link = `/api/admin/users/${id}/password-reset`;
      expect(JSON.stringify((await post(link, {})).body)).toContain("no sign-in");
      expect((await post("/user/update", { user_id: "alice", user_role: "proxy_admin" })).body.error.param).toBe(
        "user_email",
      );
      const shown = (await get(`/api/admin/users/${id}`)).body;
      expect(shown).toMatchObject({ email: "", signIn: false, externalId: "alice", name: "alice" });
      const updated = await post("/user/update", { user_id: "alice", user_email: "Alice@Example.com" });
      expect(updated.body.data).toMatchObject({ user_id: "alice", user_email: "alice@example.com", sign_in: true });
      expect((await get("/user/info?user_id=alice")).body.keys).toHaveLength(2);
      const other = await post("/user/update", { user_id: "alice", user_email: "other@example.com" });
      expect(other).toMatchObject({ status: 400, body: { error: { param: "user_email" } } });
      const { resetUrl } = (await post(link, {})).body;
      const token = new URL(resetUrl).searchParams.get("token");
      const password = "a good long one";
      expect((await app.call("/api/auth/password/reset", { json: { token, password } })).status).toBe(200);
      const signedIn = await app.call("/api/auth/token", { json: { email: "alice@example.com", password } });
      expect(signedIn.status).toBe(200);
      const { token: session } = (await signedIn.json()) as { token: string };
      expect((await errorFormat(app, session).get("/user/info?user_id=alice")).body.user_id).toBe("alice");
    });

    test("the models and the concurrent calls of a user limit all keys of the user", async () => {
      const limits = { models: ["echo"], max_parallel_requests: 3 };
      const { key } = (await post("/user/new", { user_id: "limited", ...limits })).body;
      expect((await get("/user/info?user_id=limited")).body.user_info).toMatchObject(limits);
      const statuses = async () => {
        const chat = { model: "echo", messages: [{ role: "user", content: "hi" }] };
        const embedding = { model: "echo-embedding", input: "hi" };
        return [
          (await app.call("/v1/chat/completions", { key, json: chat })).status,
          (await app.call("/v1/embeddings", { key, json: embedding })).status,
        ];
      };
      expect(await statuses()).toEqual([200, 403]);
      expect((await post("/user/update", { user_id: "limited", models: ["all-proxy-models"] })).status).toBe(200);
      expect(await statuses()).toEqual([200, 200]);
      const refused = await post("/user/update", { user_id: "limited", models: ["no-default-models"] });
      expect(refused).toMatchObject({ status: 400, body: { error: { param: "models" } } });
    });

    test("a viewer reads in every organization, until the role changes", async () => {
      const { organization_id } = (await post("/organization/new", { organization_alias: "Watched" })).body;
      const { team_id } = (await post("/team/new", { organization_id })).body;
      const account = { user_email: "watcher@example.com", user_role: "internal_user_viewer", auto_create_key: false };
      const { user_id } = (await post("/user/new", { ...account, teams: [team_id] })).body;
      const roleThere = async () => {
        const { members } = (await get(`/organization/info?organization_id=${organization_id}`)).body;
        return members.find((one: { user_id: string }) => one.user_id === user_id)?.user_role;
      };
      expect(await roleThere()).toBe("internal_user_viewer");
      expect((await get(`/user/info?user_id=${user_id}`)).body.user_info.user_role).toBe("internal_user_viewer");
      expect((await get("/user/list?role=internal_user_viewer")).body.users).toMatchObject([{ user_id }]);
      const { body } = await post("/user/update", { user_id, user_role: "internal_user" });
      expect(body.data.user_role).toBe("internal_user");
      expect(await roleThere()).toBe("internal_user");
      // A role in one organization is no role of the user: a script that sends the same role again does not change it.
      await send("PATCH", "/organization/member_update", { organization_id, user_id, role: "internal_user_viewer" });
      await post("/user/update", { user_id, user_role: "internal_user" });
      expect(await roleThere()).toBe("internal_user_viewer");
    });

    test("an administrator who is a viewer sees everything and changes nothing", async () => {
      const account = { user_email: "auditor@example.com", user_role: "proxy_admin_viewer", auto_create_key: false };
      const { user_id } = (await post("/user/new", account)).body;
      const { resetUrl } = (await post(`/api/admin/users/${user_id}/password-reset`, {})).body;
      const password = "a good long one";
      const token = new URL(resetUrl).searchParams.get("token");
      await app.call("/api/auth/password/reset", { json: { token, password } });
      const signedIn = await app.call("/api/auth/token", { json: { email: account.user_email, password } });
      const session = errorFormat(app, ((await signedIn.json()) as { token: string }).token);
      for (const path of ["/user/list", "/key/list", "/global/spend/report", "/api/admin/users"]) {
        expect([path, (await session.get(path)).status]).toEqual([path, 200]);
      }
      for (const [path, json] of [
        ["/key/generate", {}],
        ["/user/new", { user_id: "by-viewer" }],
        ["/team/new", {}],
        ["/user/update", { user_id, user_role: "proxy_admin" }],
      ] as const) {
        const { status, body } = await session.post(path, json);
        expect([path, status, body.error.message]).toEqual([path, 403, expect.stringContaining("as a viewer")]);
      }
      expect((await session.send("PATCH", `/api/admin/users/${user_id}`, { viewer: false })).status).toBe(403);
      await post("/user/update", { user_id, user_role: "proxy_admin" });
      expect((await session.get("/user/list")).status).toBe(401);
    });
  });
}

test("create_unknown_users: false refuses unknown ids, and says how to create them", async () => {
  const app = await startApp("general_settings: { create_unknown_users: false }\n");
  const { post } = errorFormat(app, MASTER_KEY);
  const refused = await post("/key/generate", { user_id: "alice" });
  expect(refused.status).toBe(404);
  expect(refused.body.error.message).toContain("POST /user/new, or set `general_settings.create_unknown_users: true`");
  expect((await post("/team/new", { members_with_roles: [{ role: "user", user_id: "alice" }] })).status).toBe(404);
  expect((await post("/user/new", { user_id: "alice", auto_create_key: false })).status).toBe(200);
  expect((await post("/key/generate", { user_id: "alice" })).status).toBe(200);
  await app.close();
});
