import { afterAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { postgresMissing } from "../services/postgres.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { errorFormat } from "./face.ts";
import { DAY_MS, startPaidApp } from "./paid-calls.ts";

const PRICE = 0.007;
const params = (model: string, more: object = {}) => ({
  model_name: model,
  litellm_params: {
    model: "echo/chat",
    input_cost_per_query: PRICE,
    input_cost_per_token: 0,
    output_cost_per_token: 0,
    ...more,
  },
});
const SETTINGS = {
  model_list: [
    params("paid"),
    params("other"),
    params("dead", { model: "hosted_vllm/m", api_base: "http://127.0.0.1:9/v1", api_key: "sk-x" }),
  ],
  router_settings: { fallbacks: [{ dead: ["paid"] }], num_retries: 0 },
  general_settings: { max_event_loop_delay: 0 },
};

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`several budgets of one owner, on ${kind}`, async () => {
    if (missing) return;
    const { app, clock } = await startPaidApp(kind, SETTINGS);
    afterAll(() => app.close());
    const { post, get } = errorFormat(app, MASTER_KEY);
    const chat = (key: string, model = "paid"): Promise<Response> =>
      app.call("/v1/chat/completions", { key, json: { model, messages: [{ role: "user", content: "hi" }] } });
    const calls = async (key: string, ...models: string[]): Promise<readonly number[]> => {
      const statuses: number[] = [];
      for (const model of models) {
        const response = await chat(key, model);
        statuses.push(response.status);
        await response.text();
      }
      await app.service.flush();
      return statuses;
    };
    const nextDay = () => clock.step(DAY_MS);

    test("a key has a budget for each of some models, which resets with its own window", async () => {
      const model_max_budget = { paid: { budget_limit: 2 * PRICE, time_period: "1d" } };
      const { key, token } = (await post("/key/generate", { model_max_budget })).body;
      const { info } = (await get(`/key/info?key=${token}`)).body;
      expect(info).toMatchObject({ model_max_budget, model_max_budget_usage: { paid: { current_spend: 0 } } });
      expect(await calls(key, "paid", "paid", "other", "other", "other")).toEqual([200, 200, 200, 200, 200]);
      const refused = await chat(key);
      const { error } = (await refused.json()) as { error: { message: string; code: string } };
      expect([refused.status, error.code]).toEqual([429, "budget_exceeded"]);
      expect(error.message).toContain("The key's budget for the model `paid`");
      nextDay();
      expect(await calls(key, "paid", "paid", "paid")).toEqual([200, 200, 429]);
    });

    test("the other spelling of a budget for a model has the same effect", async () => {
      const written = { paid: { max_budget: PRICE, budget_duration: "24h" } };
      const { key, token } = (await post("/key/generate", { model_max_budget: written })).body;
      const { model_max_budget } = (await get(`/key/info?key=${token}`)).body.info;
      expect(model_max_budget).toEqual({ paid: { budget_limit: PRICE, time_period: "1d" } });
      expect(await calls(key, "paid", "paid")).toEqual([200, 429]);
    });

    test("parallel calls do not overdraw the budget of a model", async () => {
      const model_max_budget = { paid: { budget_limit: 3 * PRICE, time_period: "30d" } };
      const { key } = (await post("/key/generate", { model_max_budget })).body;
      const responses = await Promise.all(Array.from({ length: 16 }, () => chat(key)));
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(3);
      await Promise.all(responses.map((response) => response.text()));
      await app.service.flush();
    });

    test("what was spent with a model before its budget was set counts", async () => {
      const { key, token } = (await post("/key/generate", {})).body;
      expect(await calls(key, "paid", "other")).toEqual([200, 200]);
      const paid = { budget_limit: 2 * PRICE, time_period: "1d" };
      await post("/key/update", { key: token, model_max_budget: { paid } });
      expect(await calls(key, "paid", "paid", "other")).toEqual([200, 429, 200]);
      await post("/key/update", { key: token, model_max_budget: null });
      expect(await calls(key, "paid")).toEqual([200]);
    });

    test("a fallback draws on the budget of the model that serves the call", async () => {
      const model_max_budget = { paid: { budget_limit: PRICE, time_period: "1d" } };
      const { key } = (await post("/key/generate", { model_max_budget })).body;
      expect(await calls(key, "dead")).toEqual([200]);
      const [again = 0, paid] = await calls(key, "dead", "paid");
      expect([again >= 400, paid]).toEqual([true, 429]);
    });

    test("all of several budgets of a key are enforced", async () => {
      const budget_limits = [
        { budget_duration: "1d", max_budget: 2 * PRICE },
        { budget_duration: "7d", max_budget: 3 * PRICE },
      ];
      while (new Date(clock.nowMs()).getUTCDay() !== 2) nextDay();
      const { key, token } = (await post("/key/generate", { budget_limits, max_budget: 1 })).body;
      const { info } = (await get(`/key/info?key=${token}`)).body;
      expect(info).toMatchObject({ max_budget: 1, budget_limits });
      const resets = info.budget_limits.map(({ reset_at }: { reset_at: string }) => Date.parse(reset_at));
      expect(resets.map((resetMs: number) => (resetMs - clock.nowMs()) / DAY_MS)).toEqual([0.5, 5.5]);
      expect(await calls(key, "paid", "paid", "paid")).toEqual([200, 200, 429]);
      nextDay();
      expect(await calls(key, "paid", "paid")).toEqual([200, 429]);
      expect((await get(`/key/info?key=${token}`)).body.info.budget_limits_usage).toEqual({
        "1d": { current_spend: PRICE },
        "7d": { current_spend: 3 * PRICE },
      });
      nextDay();
      expect(await calls(key, "paid")).toEqual([429]);
      clock.step(5 * DAY_MS);
      expect(await calls(key, "paid")).toEqual([200]);
    });

    test("teams, users and stored budgets have them too", async () => {
      const model_max_budget = { paid: { budget_limit: PRICE, time_period: "1d" } };
      const budget_limits = [{ budget_duration: "12h", max_budget: 2 * PRICE }];
      const further = { model_max_budget, budget_limits };
      const { team_id, ...team } = (await post("/team/new", further)).body;
      expect(team).toMatchObject(further);
      const ofTeam = (await post("/key/generate", { team_id })).body;
      expect(await calls(ofTeam.key, "paid", "paid", "other", "other")).toEqual([200, 429, 200, 429]);
      expect((await get(`/team/info?team_id=${team_id}`)).body.team_info).toMatchObject(further);

      const user = (await post("/user/new", { user_email: "several@example.com", ...further })).body;
      expect(user).toMatchObject(further);
      expect(await calls(user.key, "paid", "paid", "other", "other")).toEqual([200, 429, 200, 429]);

      expect((await post("/budget/new", { budget_id: "further", ...further })).body).toMatchObject(further);
      const held = (await post("/key/generate", { budget_id: "further" })).body;
      expect(await calls(held.key, "paid", "paid")).toEqual([200, 429]);
      await post("/budget/update", { budget_id: "further", model_max_budget: {} });
      expect(await calls(held.key, "paid", "paid")).toEqual([200, 429]);
      expect((await get(`/key/info?key=${held.token}`)).body.info).toMatchObject({
        model_max_budget: {},
        budget_limits,
      });
      const alone = await post("/key/update", { key: held.token, budget_limits: [] });
      expect([alone.status, alone.body.error.param]).toEqual([400, "budget_limits"]);
    });

    test("the platform's API sets them, and returns what was spent of each", async () => {
      const person = await newPerson(app);
      const [team] = ((await person.send("GET", "/api/gw/teams")).body as { data: { id: string }[] }).data;
      const budgets = [
        { limit: 5_000_000_000, window: "30m", model: null },
        { limit: 7_000_000, window: "day", model: "paid" },
      ];
      const settings = { name: "Several", team_id: team?.id, furtherBudgets: budgets };
      const { key, id } = (await person.send("POST", "/api/gw/api-keys", settings)).body as { key: string; id: string };
      expect(await calls(key, "other", "paid", "paid")).toEqual([200, 200, 429]);
      const { furtherBudgets } = (await person.send("GET", `/api/gw/api-keys/${id}`)).body as {
        furtherBudgets: { resetAt: string }[];
      };
      expect(furtherBudgets).toMatchObject([
        { ...budgets[0], spent: 14_000_000 },
        { ...budgets[1], spent: 7_000_000 },
      ]);
      const windowMs = Date.parse(furtherBudgets[0]?.resetAt ?? "") - clock.nowMs();
      expect(windowMs > 0 && windowMs <= 30 * 60_000).toBe(true);
      const changes = { further_budgets: [budgets[1]], modelLimits: { other: { rpm: 0 } } };
      const changed = await person.send("PATCH", `/api/gw/teams/${team?.id}`, changes);
      expect(changed.body).toMatchObject({
        furtherBudgets: [{ ...budgets[1], spent: 7_000_000 }],
        modelLimits: { other: { rpm: 0 } },
      });
      expect(await calls(key, "other")).toEqual([429]);
      const other = await person.send("PATCH", `/api/gw/api-keys/${id}`, { model_max_budget: {} });
      expect([other.status, JSON.stringify(other.body)]).toEqual([400, expect.stringContaining("furtherBudgets")]);
    });

    test.each([
      [{ budget_limits: [{ budget_duration: "1y", max_budget: 1 }] }, "budget_limits"],
      [{ budget_limits: Array(2).fill({ budget_duration: "1d", max_budget: 1 }) }, "budget_limits"],
      [{ model_max_budget: { paid: { time_period: "1d" } } }, "model_max_budget"],
      [{ model_max_budget: { "pa*": { budget_limit: 1, time_period: "1d" } } }, "model_max_budget"],
      [{ model_max_budget: { paid: { budget_limit: 1, time_period: "x" } } }, "model_max_budget"],
    ])("%j is refused by name", async (body, param) => {
      const { status, body: refusal } = await post("/key/generate", body);
      expect([status, refusal.error.param]).toEqual([400, param]);
    });

    test("the team's budget for its members holds for each who has no limit in the team", async () => {
      const defaults = { team_member_budget: PRICE, team_member_budget_duration: "1d", team_member_rpm_limit: 50 };
      const { team_id, ...made } = (await post("/team/new", defaults)).body;
      expect(made).toMatchObject(defaults);
      const join = async (name: string, more: object = {}) => {
        const user = (await post("/user/new", { user_email: `${name}@example.com`, auto_create_key: false })).body;
        await post("/team/member_add", { team_id, member: { role: "user", user_id: user.user_id }, ...more });
        return (await post("/key/generate", { team_id, user_id: user.user_id })).body.key;
      };
      const [one, two] = [await join("one"), await join("two", { max_budget_in_team: 2 * PRICE })];
      expect(await calls(one, "paid", "paid")).toEqual([200, 429]);
      expect(await calls(two, "paid", "paid", "paid")).toEqual([200, 200, 429]);
      const { team_memberships } = (await get(`/team/info?team_id=${team_id}`)).body;
      const shown = team_memberships.map((row: { litellm_budget_table: object }) => row.litellm_budget_table);
      expect(shown).toMatchObject([
        { max_budget: PRICE, budget_duration: "1d", rpm_limit: 50 },
        { max_budget: 2 * PRICE, budget_duration: null, rpm_limit: 50 },
      ]);
      await post("/team/update", { team_id, team_member_budget: 3 * PRICE });
      expect(await calls(one, "paid", "paid", "paid")).toEqual([200, 200, 429]);
      await post("/team/update", { team_id, team_member_budget: null, team_member_rpm_limit: 0 });
      const response = await chat(one);
      expect([response.status, await response.text()]).toEqual([429, expect.stringContaining("0 requests")]);
    });

    test("a team has limits of single models", async () => {
      const { team_id, ...made } = (await post("/team/new", { model_rpm_limit: { paid: 1 } })).body;
      expect(made).toMatchObject({ model_rpm_limit: { paid: 1 }, model_tpm_limit: {} });
      const keys = [
        (await post("/key/generate", { team_id })).body.key,
        (await post("/key/generate", { team_id })).body.key,
      ];
      expect([...(await calls(keys[0], "paid")), ...(await calls(keys[1], "paid", "other"))]).toEqual([200, 429, 200]);
      await post("/team/update", { team_id, model_tpm_limit: { other: 0 } });
      expect((await get(`/team/info?team_id=${team_id}`)).body.team_info).toMatchObject({
        model_rpm_limit: { paid: 1 },
        model_tpm_limit: { other: 0 },
      });
      expect(await calls(keys[1], "other")).toEqual([429]);
    });

    test("the ledger agrees with the log about all of them", async () => {
      const rules = await app.storage.audit.verify(clock.nowMs());
      expect(rules.filter(({ differences }) => differences.length > 0)).toEqual([]);
    });
  });
}

test.skipIf(postgresMissing !== null)("two servers do not overdraw the budget of a model together", async () => {
  const url = await migratedUrl("postgres");
  const apps = [await startApp(JSON.stringify(SETTINGS), url), await startApp(JSON.stringify(SETTINGS), url)];
  const [first] = apps;
  if (!first) throw new Error("no server");
  const model_max_budget = { paid: { budget_limit: 3 * PRICE, time_period: "30d" } };
  const { key } = (await errorFormat(first, MASTER_KEY).post("/key/generate", { model_max_budget })).body;
  const json = { model: "paid", messages: [{ role: "user", content: "hi" }] };
  const responses = await Promise.all(
    apps.flatMap((app) => Array.from({ length: 8 }, () => app.call("/v1/chat/completions", { key, json }))),
  );
  const passed = responses.filter(({ status }) => status === 200).length;
  expect([passed > 0, passed <= 3]).toEqual([true, true]);
  await Promise.all(responses.map((response) => response.text()));
  for (const app of apps) await app.close();
});
