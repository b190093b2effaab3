import { afterAll, describe, expect, test } from "bun:test";
import { newPerson, startAppOn } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { newCall } from "../ledger/new-call.ts";
import { DATABASES } from "../storage/databases.ts";
import { errorFormat } from "./face.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`two faces of one record, on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const operator = errorFormat(app, MASTER_KEY);
    const owner = await newPerson(app);
    const own = errorFormat(app, owner.token);
    const [{ team } = { team: { id: "" } }] = await app.storage.accounts.teams.list(owner.ownId);
    const teamId = team.id;
    const lastAudit = async () => (await app.storage.accounts.audit.list({}, { page: 1, pageSize: 1 })).rows[0];

    test("a key made on either side is the same on the other", async () => {
      const { key, token } = (
        await own.post("/key/generate", { team_id: teamId, key_alias: "scripted", max_budget: 1.5 })
      ).body;
      const seen = (await own.get(`/api/gw/api-keys/${token}`)).body;
      expect(seen).toMatchObject({ name: "scripted", token, budget: { limit: 1_500_000_000, window: "total" } });
      await own.send("PATCH", `/api/gw/api-keys/${seen.id}`, { name: "renamed", rpmLimit: 7, budgetWindow: "day" });
      expect((await operator.get(`/key/info?key=${key}`)).body.info).toMatchObject({
        key_alias: "renamed",
        rpm_limit: 7,
        max_budget: 1.5,
        budget_duration: "1d",
        organization_id: owner.ownId,
        user_id: String(owner.id),
      });
      const made = (await own.post("/api/gw/api-keys", { name: "platform", teamId })).body;
      const handle = (await own.get(`/api/gw/api-keys/${made.id}`)).body.token;
      expect((await own.post("/key/update", { key: made.key, tpm_limit: 9 })).body).toMatchObject({ tpm_limit: 9 });
      expect((await own.get(`/api/gw/api-keys/${made.id}`)).body).toMatchObject({ tpmLimit: 9 });
      expect((await own.post("/key/block", { key: handle })).body).toMatchObject({ blocked: true });
      expect((await own.get(`/api/gw/api-keys/${made.id}`)).body).toMatchObject({ status: "disabled" });
    });

    test("a team made on either side is the same on the other", async () => {
      const made = await own.post("/team/new", {
        team_alias: "scripted",
        models: ["echo"],
        max_budget: 3,
        tags: ["t"],
      });
      expect(made.body).toMatchObject({
        team_alias: "scripted",
        organization_id: owner.ownId,
        max_budget: 3,
        members_with_roles: [{ user_id: String(owner.id), role: "admin" }],
      });
      const id = made.body.team_id;
      expect((await own.get(`/api/gw/teams/${id}`)).body).toMatchObject({ name: "scripted", models: ["echo"] });
      await own.send("PATCH", `/api/gw/teams/${id}`, { name: "other", models: [] });
      expect((await own.get(`/team/info?team_id=${id}`)).body.team_info).toMatchObject({
        team_alias: "other",
        models: [],
      });
      expect((await own.post("/team/delete", { team_ids: [id] })).body).toEqual({ deleted_teams: [id] });
      expect((await own.get(`/api/gw/teams/${id}`)).status).toBe(404);
    });

    test("limits that are set under /api are those that scripts read", async () => {
      const limits = { budget: 1_500_000_000, softBudget: 1_000_000_000, budget_window: "week", rpmLimit: 2 };
      const more = { modelAliases: { mine: "echo" }, tags: ["a"], metadata: { b: 1 } };
      const team = (await own.send("PATCH", `/api/gw/teams/${teamId}`, { ...limits, ...more })).body;
      expect(team).toMatchObject({
        budget: { limit: 1_500_000_000, window: "week" },
        softBudget: 1_000_000_000,
        ...more,
      });
      expect((await own.get(`/team/info?team_id=${teamId}`)).body.team_info).toMatchObject({
        max_budget: 1.5,
        soft_budget: 1,
        budget_duration: "7d",
        rpm_limit: 2,
        model_aliases: { mine: "echo" },
      });
      await own.send("PATCH", `/api/gw/teams/${teamId}`, {
        budget: null,
        softBudget: null,
        rpmLimit: null,
        modelAliases: null,
      });
      const member = await own.send("PATCH", `/api/gw/teams/${teamId}/members/${owner.id}`, { budget: 250_000_000 });
      expect(member.body).toMatchObject({ budget: { limit: 250_000_000, window: "total" } });
      expect((await own.get(`/team/info?team_id=${teamId}`)).body).toMatchObject({
        team_info: { max_budget: null },
        team_memberships: [{ max_budget_in_team: 0.25 }],
      });
      const organization = await own.send("PUT", "/api/gw/organizations", {
        budget: 5_000_000_000,
        storePrompts: true,
      });
      expect(organization.body).toMatchObject({
        budget: { limit: 5_000_000_000 },
        storePrompts: true,
        billing: "prepaid",
      });
      const path = `/api/admin/organizations/${owner.ownId}`;
      expect((await own.send("PATCH", path, { billing: "invoiced" })).status).toBe(403);
      const allowed = { billing: "invoiced", models: ["echo"], rpm_limit: 6 };
      expect((await operator.send("PATCH", path, allowed)).body).toMatchObject({ billing: "invoiced", rpmLimit: 6 });
      expect((await own.get(`/organization/info?organization_id=${owner.ownId}`)).body).toMatchObject({
        billing: "invoiced",
        models: ["echo"],
        litellm_budget_table: { max_budget: 5, rpm_limit: 6 },
      });
      await operator.send("PATCH", path, { billing: "prepaid", models: [], rpmLimit: null, budget: null });
    });

    test("an organization is the same on both sides, and what the operator allows is the operator's to change", async () => {
      const path = "/organization/update";
      const body = { organization_id: owner.ownId };
      const changed = await own.send("PATCH", path, { ...body, organization_alias: "Renamed", max_budget: 10 });
      expect(changed.body).toMatchObject({ organization_alias: "Renamed", litellm_budget_table: { max_budget: 10 } });
      expect((await own.get(`/api/gw/organizations/${owner.ownId}`)).body).toMatchObject({ name: "Renamed" });
      for (const reserved of [{ models: ["x"] }, { billing: "invoiced" }, { blocked: true }, { rpm_limit: 1 }]) {
        expect((await own.send("PATCH", path, { ...body, ...reserved })).status).toBe(403);
        expect((await operator.send("PATCH", path, { ...body, ...reserved })).status).toBe(200);
      }
      const freed = { models: [], billing: "prepaid", blocked: false, rpm_limit: null };
      expect((await operator.send("PATCH", path, { ...body, ...freed })).body).toMatchObject({ blocked: false });
    });

    test("the log names who it was: the master key, an administrator, a person", async () => {
      await operator.post("/team/update", { team_id: teamId, tags: ["by-master"] });
      expect(await lastAudit()).toMatchObject({ action: "team.update", actor: "master_key", userId: null });
      const login = { email: app.first.adminEmail, password: app.first.generatedPassword };
      const session = (await (await app.call("/api/auth/token", { json: login })).json()) as { token: string };
      const admin = errorFormat(app, session.token);
      expect((await admin.post("/team/update", { team_id: teamId, tags: ["by-admin"] })).status).toBe(200);
      const { id } = (await app.storage.accounts.users.findByEmail(app.first.adminEmail)) ?? {};
      expect(await lastAudit()).toMatchObject({ action: "team.update", actor: "user", userId: id });
      // Under /api an administrator is a person like others: not a member, so there is no such team.
      expect((await admin.get(`/api/gw/teams/${teamId}`)).status).toBe(404);
      await own.post("/team/update", { team_id: teamId, tags: ["by-owner"] });
      expect(await lastAudit()).toMatchObject({ actor: "user", userId: owner.id });
    });

    test("a blocked team or organization is refused at the very next call, and let in again", async () => {
      const { key } = (await own.post("/key/generate", { team_id: teamId })).body;
      const status = async () => (await app.call("/v1/models", { key })).status;
      expect(await status()).toBe(200);
      expect((await operator.post("/team/block", { team_id: teamId })).body).toMatchObject({ blocked: true });
      expect(await status()).toBe(403);
      expect((await own.get(`/api/gw/teams/${teamId}`)).body).toMatchObject({ blocked: true, blockedReason: "admin" });
      expect((await own.post("/team/unblock", { team_id: teamId })).status).toBe(403);
      await operator.post("/team/unblock", { team_id: teamId });
      expect(await status()).toBe(200);
      await operator.send("PATCH", "/organization/update", { organization_id: owner.ownId, blocked: true });
      expect(await status()).toBe(403);
      await operator.send("PATCH", "/organization/update", { organization_id: owner.ownId, blocked: false });
      expect(await status()).toBe(200);
    });

    test("a team that owes stays blocked when the operator unblocks it", async () => {
      await app.storage.accounts.teams.update(teamId, { status: "blocked", blockedReason: "balance" });
      expect((await operator.post("/team/unblock", { team_id: teamId })).body).toMatchObject({ blocked: true });
      await app.storage.accounts.teams.update(teamId, { status: "active", blockedReason: null });
    });

    test("people are added by id or e-mail, with limits, changed and taken out", async () => {
      const colleague = await newPerson(app);
      const stranger = await newPerson(app);
      const add = (member: object, more: object = {}) =>
        own.post("/team/member_add", { team_id: teamId, member, ...more });
      // By id a person finds only those of the organization; the operator finds anybody.
      expect((await add({ role: "user", user_id: String(stranger.id) })).status).toBe(404);
      // Who has not agreed to be in the organization is invited; the operator puts people in.
      expect((await add({ role: "user", user_email: colleague.email })).status).toBe(400);
      const joined = await operator.post("/organization/member_add", {
        organization_id: owner.ownId,
        member: { role: "internal_user", user_email: colleague.email },
      });
      expect(joined.status).toBe(200);
      const added = await add({ role: "user", user_email: colleague.email }, { max_budget_in_team: 0.25 });
      expect(added.body.updated_team_memberships).toMatchObject([
        { user_id: String(colleague.id), max_budget_in_team: 0.25 },
      ]);
      expect((await add({ role: "user", user_id: String(colleague.id) })).status).toBe(409);
      expect((await add({ role: "user", user_email: "nobody@example.com" })).status).toBe(400);
      const member = { team_id: teamId, user_id: String(colleague.id) };
      const changed = await own.post("/team/member_update", { ...member, role: "admin", rpm_limit: 4 });
      expect(changed.body).toMatchObject({ role: "admin", rpm_limit: 4, max_budget_in_team: 0.25 });
      expect(await app.storage.accounts.teamMembers.find(teamId, colleague.id)).toMatchObject({
        role: "admin",
        budget: 250_000_000n,
        rpmLimit: 4,
      });
      expect((await own.post("/team/member_delete", { team_id: teamId, user_email: colleague.email })).status).toBe(
        200,
      );
      expect(await app.storage.accounts.teamMembers.find(teamId, colleague.id)).toBeNull();
      const unknown = { team_id: teamId, member: { role: "user", user_id: "987654" } };
      expect(await operator.post("/team/member_add", unknown)).toMatchObject({
        status: 404,
        body: { error: { param: "user_id" } },
      });
      const invited = await operator.post("/team/member_add", {
        team_id: teamId,
        member: [{ role: "user", user_email: "new.person@example.com" }],
      });
      expect(invited.status).toBe(200);
      expect(await app.storage.accounts.users.findByEmail("new.person@example.com")).toMatchObject({
        passwordHash: null,
      });
    });

    test("the models of a team are added to and taken from, never down to none", async () => {
      await own.post("/team/update", { team_id: teamId, models: ["a", "b"] });
      expect((await own.post("/team/model/add", { team_id: teamId, models: ["c"] })).body.models).toEqual([
        "a",
        "b",
        "c",
      ]);
      expect((await own.post("/team/model/delete", { team_id: teamId, models: ["b", "c"] })).body.models).toEqual([
        "a",
      ]);
      expect((await own.post("/team/model/delete", { team_id: teamId, models: ["a"] })).status).toBe(409);
      await own.post("/team/update", { team_id: teamId, models: [] });
    });

    test("an organization and a user come from the operator, with a key, and go", async () => {
      const organization = (await operator.post("/organization/new", { organization_alias: "Made", max_budget: 5 }))
        .body;
      expect(organization).toMatchObject({ billing: "invoiced", litellm_budget_table: { max_budget: 5 } });
      const team = (
        await operator.post("/team/new", { organization_id: organization.organization_id, team_id: "made-team" })
      ).body;
      expect(team).toMatchObject({ team_id: "made-team", team_alias: "made-team" });
      expect((await operator.post("/team/new", { team_id: "made-team" })).status).toBe(409);
      const user = await operator.post("/user/new", {
        user_email: "Made@Example.com",
        teams: ["made-team"],
        max_budget: 2,
        user_role: "internal_user",
      });
      expect(user.body).toMatchObject({ user_email: "made@example.com", team_id: "made-team", max_budget: 2 });
      expect((await app.call("/v1/models", { key: user.body.key })).status).toBe(200);
      expect((await operator.post("/user/new", { user_email: "made@example.com" })).status).toBe(409);
      const info = (await operator.get(`/user/info?user_id=${user.body.user_id}`)).body;
      expect(info).toMatchObject({ user_info: { teams: ["made-team"] }, keys: [{ token: user.body.token }] });
      expect(
        (await operator.post("/user/update", { user_id: user.body.user_id, rpm_limit: 8 })).body.data,
      ).toMatchObject({
        rpm_limit: 8,
        max_budget: 2,
      });
      const member = { organization_id: organization.organization_id, user_id: user.body.user_id };
      const promoted = await operator.send("PATCH", "/organization/member_update", { ...member, role: "org_admin" });
      expect(promoted.body).toMatchObject({ user_role: "org_admin" });
      expect((await operator.send("DELETE", "/organization/member_delete", member)).status).toBe(200);
      expect((await operator.post("/user/delete", { user_ids: [user.body.user_id] })).status).toBe(200);
      const ids = { organization_ids: [organization.organization_id] };
      expect((await operator.send("DELETE", "/organization/delete", ids)).status).toBe(200);
      expect((await app.call("/v1/models", { key: user.body.key })).status).toBe(401);
      expect((await operator.get(`/organization/info?organization_id=${organization.organization_id}`)).status).toBe(
        404,
      );
    });

    test("a budget gives its limits to all that have it, changes them at once, and cannot go while it is used", async () => {
      await operator.post("/budget/new", { budget_id: "shared", max_budget: 1, budget_duration: "1d", rpm_limit: 5 });
      const { token } = (await operator.post("/key/generate", { budget_id: "shared" })).body;
      const limits = async () => (await operator.get(`/key/info?key=${token}`)).body.info;
      expect(await limits()).toMatchObject({ max_budget: 1, budget_duration: "1d", rpm_limit: 5, budget_id: "shared" });
      expect((await operator.post("/key/update", { key: token, max_budget: 9 })).status).toBe(400);
      await operator.post("/budget/update", { budget_id: "shared", max_budget: 0.3 });
      expect(await limits()).toMatchObject({ max_budget: 0.3, rpm_limit: 5 });
      expect((await operator.post("/budget/info", { budgets: ["shared"] })).body).toMatchObject([{ max_budget: 0.3 }]);
      expect((await operator.get("/budget/settings?budget_id=shared")).body).toContainEqual(
        expect.objectContaining({ field_name: "max_budget", field_value: 0.3 }),
      );
      expect((await operator.post("/budget/delete", { id: "shared" })).status).toBe(409);
      await operator.post("/key/update", { key: token, budget_id: null, max_budget: 4 });
      expect(await limits()).toMatchObject({ max_budget: 4, rpm_limit: null, budget_id: null });
      expect((await operator.post("/budget/delete", { id: "shared" })).status).toBe(200);
      expect((await own.post("/budget/new", {})).status).toBe(403);
    });

    test("spend is what the usage log has of the key, its team, its owner and its organization", async () => {
      const { token } = (await own.post("/key/generate", { team_id: teamId })).body;
      const keyId = (await app.storage.accounts.keys.find(token))?.key.id ?? "";
      const whose = { organizationId: owner.ownId, teamId, keyId, userId: owner.id };
      await app.storage.usage.record([newCall({ ...whose, cost: 1_250_000_000n }), newCall({ ...whose, cost: 1n })]);
      const spend = 1.250000001;
      expect((await own.get(`/key/info?key=${token}`)).body.info.spend).toBe(spend);
      expect((await own.get(`/team/info?team_id=${teamId}`)).body.team_info.spend).toBe(spend);
      expect((await own.get(`/organization/info?organization_id=${owner.ownId}`)).body.spend).toBe(spend);
      expect((await own.get("/v2/user/info")).body.spend).toBe(spend);
    });

    test("people see their own, and another's is not there", async () => {
      const other = await newPerson(app);
      const stranger = errorFormat(app, other.token);
      for (const [method, path, json] of [
        ["GET", `/team/info?team_id=${teamId}`],
        ["GET", `/organization/info?organization_id=${owner.ownId}`],
        ["GET", `/user/info?user_id=${owner.id}`],
        ["GET", `/key/list?team_id=${teamId}`],
        ["GET", `/key/list?user_id=${owner.id}`],
        ["POST", "/key/generate", { team_id: teamId }],
        ["POST", "/team/new", { organization_id: owner.ownId }],
        ["POST", "/team/member_add", { team_id: teamId, member: { role: "admin", user_id: String(other.id) } }],
        ["PATCH", "/organization/update", { organization_id: owner.ownId, max_budget: 1 }],
      ] as const) {
        expect(`${path} ${(await stranger.send(method, path, json)).status}`).toBe(`${path} 404`);
      }
      const listed = (await stranger.get("/organization/list")).body;
      expect(listed.map((one: { organization_id: string }) => one.organization_id)).toEqual([other.ownId]);
      expect((await own.get("/user/info")).body).toMatchObject({ user_id: String(owner.id) });
    });
  });
}
