import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { errorFormat } from "./face.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`keys as scripts know them, on ${kind}`, async () => {
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { post, get } = errorFormat(app, MASTER_KEY);
    const chat = async (key: string) =>
      (
        await app.call("/v1/chat/completions", {
          key,
          json: { model: "echo", messages: [{ role: "user", content: "hi" }] },
        })
      ).status;

    test("a key is generated, shown, changed, blocked, unblocked, regenerated and deleted", async () => {
      const made = await post("/key/generate", {
        key_alias: "ci",
        max_budget: 0.1,
        soft_budget: 0.05,
        budget_duration: "30d",
        duration: "30d",
        rpm_limit: 10,
        model_rpm_limit: { echo: 5 },
        metadata: { purpose: "tests" },
        tags: ["ci"],
        guardrails: [],
      });
      expect(made.status).toBe(200);
      const { key, token } = made.body;
      expect(key).toMatch(/^sk-/);
      expect(made.body).toMatchObject({
        token_id: token,
        key_name: `sk-...${key.slice(-4)}`,
        key_alias: "ci",
        max_budget: 0.1,
        soft_budget: 0.05,
        budget_duration: "30d",
        rpm_limit: 10,
        model_rpm_limit: { echo: 5 },
        spend: 0,
        blocked: false,
        metadata: { purpose: "tests" },
      });
      expect((await app.storage.accounts.keys.find(token))?.key).toMatchObject({
        budget: 100_000_000n,
        softBudget: 50_000_000n,
        budgetWindow: "month",
        modelLimits: { echo: { rpm: 5 } },
      });
      expect(Date.parse(made.body.expires) - Date.now()).toBeGreaterThan(29 * 86_400_000);
      expect(await chat(key)).toBe(200);

      for (const reference of [key, token]) {
        const shown = await get(`/key/info?key=${reference}`);
        expect(shown).toMatchObject({ status: 200, body: { key: token, info: { key_alias: "ci", max_budget: 0.1 } } });
        expect(JSON.stringify(shown.body)).not.toContain(key);
      }
      expect((await errorFormat(app, key).get("/key/info")).body).toMatchObject({
        key: token,
        info: { key_alias: "ci" },
      });

      const updated = await post("/key/update", {
        key,
        max_budget: 2.5,
        model_tpm_limit: { echo: 100 },
        duration: null,
      });
      expect(updated.body).toMatchObject({
        key: token,
        max_budget: 2.5,
        budget_duration: "30d",
        expires: null,
        model_rpm_limit: { echo: 5 },
        model_tpm_limit: { echo: 100 },
        key_alias: "ci",
      });

      expect((await post("/key/block", { key: token })).body).toMatchObject({ token, blocked: true });
      expect(await chat(key)).toBe(401);
      expect((await post("/key/unblock", { key: token })).body).toMatchObject({ token, blocked: false });
      expect(await chat(key)).toBe(200);

      const fresh = await post("/key/regenerate", { key: token, grace_period: "1h" });
      expect(fresh.body.key).not.toBe(key);
      expect(await Promise.all([chat(fresh.body.key), chat(key)])).toEqual([200, 200]);
      const again = await post(`/key/${fresh.body.token}/regenerate`, {});
      expect(await Promise.all([chat(again.body.key), chat(fresh.body.key), chat(key)])).toEqual([200, 401, 401]);

      expect((await post("/key/delete", { keys: [again.body.key] })).body).toEqual({
        deleted_keys: [again.body.token],
      });
      expect(await chat(again.body.key)).toBe(401);
      expect((await get(`/key/info?key=${again.body.token}`)).status).toBe(404);
    });

    test("two who regenerate a key at once are not both given a value", async () => {
      const { key } = (await post("/key/generate", { key_alias: "wanted twice" })).body;
      const answers = await Promise.all([post("/key/regenerate", { key }), post("/key/regenerate", { key })]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
      expect(await chat(answers.find(({ status }) => status === 200)?.body.key)).toBe(200);
    });

    test("a value that the operator brings along works, once", async () => {
      const key = "sk-brought-along-from-elsewhere";
      expect((await post("/key/generate", { key, key_alias: "brought" })).body.key).toBe(key);
      expect(await chat(key)).toBe(200);
      expect((await post("/key/generate", { key })).status).toBe(409);
      expect((await post("/key/generate", { key: MASTER_KEY })).status).toBe(409);
      expect((await post("/key/generate", { key: "sk-short" })).status).toBe(400);
      expect((await post("/key/generate", { key: "not-a-key-0123456789abcdef" })).status).toBe(400);
    });

    test("keys without a team go to the operator's own organization, which is made once and is invoiced", async () => {
      const made = await Promise.all(Array.from({ length: 4 }, () => post("/key/generate", {})));
      const [first] = made;
      for (const { status, body } of made) {
        expect({ status, team: body.team_id }).toEqual({ status: 200, team: first?.body.team_id });
      }
      const organization = await app.storage.accounts.organizations.find(first?.body.organization_id);
      expect(organization).toMatchObject({ name: "Operator", billing: "invoiced" });
    });

    test("lists go by owner, team and alias, in pages, as hashes or whole", async () => {
      const team = (await post("/team/new", { team_alias: "listed" })).body.team_id;
      const keys: { token: string }[] = [];
      for (const key_alias of ["one", "two", "three"]) {
        keys.push((await post("/key/generate", { team_id: team, key_alias })).body);
      }
      const page = await get(`/key/list?team_id=${team}&size=2`);
      expect(page.body).toEqual({
        keys: [keys[2]?.token, keys[1]?.token],
        total_count: 3,
        current_page: 1,
        total_pages: 2,
      });
      const whole = await get(`/key/list?team_id=${team}&key_alias=one&return_full_object=true`);
      expect(whole.body.keys).toMatchObject([{ key_alias: "one", team_id: team }]);
      expect((await get(`/key/aliases?team_id=${team}`)).body).toMatchObject({ aliases: ["one", "three", "two"] });
      expect((await post("/v2/key/info", { keys: keys.map(({ token }) => token) })).body.info).toHaveLength(3);
      expect((await post("/key/delete", { key_aliases: ["one"] })).status).toBe(200);
      expect((await get(`/key/list?team_id=${team}`)).body.total_count).toBe(2);
    });

    test("many are changed at once, and those that cannot be are told", async () => {
      const { token, key } = (await post("/key/generate", { key_alias: "bulk" })).body;
      const { body } = await post("/key/bulk_update", {
        keys: [
          { key: token, rpm_limit: 3 },
          { key: "no-such-key", rpm_limit: 3 },
          { key, tpm_limit: 4 },
        ],
      });
      expect(body).toMatchObject({
        total_requested: 3,
        successful_updates: [
          { key: token, key_info: { token, rpm_limit: 3 } },
          { key, key_info: { token, tpm_limit: 4 } },
        ],
        failed_updates: [{ index: 1, key: "no-such-key", failed_reason: "There is no such key." }],
      });
    });

    test.each([
      [{ guardrails: ["pii"] }, 400, "guardrails: "],
      [{ object_permission: { models: ["a"] } }, 400, "object_permission: "],
      [{ allowed_routes: ["/chat"] }, 400, "allowed_routes: "],
      [{ key_type: "management" }, 400, "key_type: "],
      [{ budget_duration: "3y", max_budget: 1 }, 400, "budget_duration: must be a number and a unit"],
      [{ budget_duration: "1d" }, 400, "budget_duration: it needs a `max_budget`"],
      [{ duration: "soon" }, 400, "duration: "],
      [{ max_budget: -1 }, 422, null],
      [{ max_budgett: 1 }, 422, null],
      [{ key_alias: "nul \u0000 here" }, 400, null],
      [{ team_id: "no-such-team" }, 404, null],
      [{ user_id: "987654" }, 404, "There is no such user. This server gives out ids of digits"],
      [{ budget_id: "no-such-budget" }, 404, null],
    ])("%j is refused, not ignored", async (json, status, message) => {
      const answer = await post("/key/generate", json);
      expect(answer.status).toBe(status);
      if (message !== null) expect(answer.body.error.message).toStartWith(message);
      if (status === 422) expect(JSON.stringify(answer.body.detail)).toContain(Object.keys(json)[0] ?? "");
    });

    test("a key of no models can call none", async () => {
      const { key, models } = (await post("/key/generate", { models: ["no-default-models"] })).body;
      expect(models).toEqual(["no-default-models"]);
      expect(await chat(key)).toBe(403);
      await post("/key/update", { key, models: ["echo"] });
      expect(await chat(key)).toBe(200);
    });

    test("a field that asks for nothing is taken: its empty form, and what keys do anyway", async () => {
      const nothing = { guardrails: [], permissions: {}, config: {}, spend: 0, object_permission: null };
      const usual = { key_type: "llm_api", models: ["all-team-models"], duration: "-1" };
      expect((await post("/key/generate", { ...nothing, ...usual })).body).toMatchObject({ models: [], expires: null });
    });

    test("an ordinary key sees itself and its team, and manages nothing", async () => {
      const { key, token, team_id } = (await post("/key/generate", { key_alias: "self" })).body;
      const other = (await post("/key/generate", { key_alias: "other" })).body;
      const own = errorFormat(app, key);
      expect((await own.get(`/key/info?key=${token}`)).status).toBe(200);
      expect((await own.get(`/key/info?key=${key}`)).status).toBe(200);
      for (const reference of [other.token, other.key, "no-such-key"]) {
        expect((await own.get(`/key/info?key=${reference}`)).status).toBe(403);
      }
      const team = await own.get(`/team/info?team_id=${team_id}`);
      expect(team.body).toMatchObject({ team_id, keys: [], team_memberships: [] });
      expect(team.body.team_info).not.toContainKey("members_with_roles");
      expect((await own.get("/team/info?team_id=another")).status).toBe(403);
      expect((await own.post("/key/health", undefined)).body).toMatchObject({ key: "healthy" });
      for (const path of [
        "/key/list",
        "/team/list",
        "/organization/list",
        "/user/info",
        "/user/list",
        "/budget/list",
      ]) {
        expect((await own.get(path)).status).toBe(403);
      }
      expect((await own.post("/key/generate", {})).status).toBe(403);
      expect((await own.post("/key/update", { key, max_budget: 1000 })).status).toBe(403);
    });
  });
}
