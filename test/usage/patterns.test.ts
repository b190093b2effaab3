import { afterAll, afterEach, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const PRICES = { input_cost_per_token: 0.000003, output_cost_per_token: 0.000015 };
const reached = { api_base: upstream.address, api_key: "sk-up", ...PRICES };
const app = await startApp(
  JSON.stringify({
    model_list: [
      { model_name: "*", litellm_params: { model: "openrouter/*", ...reached } },
      { model_name: "any-*", litellm_params: { model: "hosted_vllm/m", ...reached } },
    ],
    router_settings: { num_retries: 0 },
    litellm_settings: { cache: true, cache_params: { type: "local", mode: "default_off" } },
  }),
);
afterEach(() => {
  upstream.mood = WELL;
});
afterAll(() => Promise.all([app.close(), upstream.stop()]));

/** Somebody of their own, so that nothing but their calls is summed up. */
async function newCaller() {
  const owner = await newPerson(app);
  const [team] = await app.storage.accounts.teams.list(owner.ownId);
  const made = (more: object) =>
    owner.send("POST", "/api/gw/api-keys", { name: crypto.randomUUID(), team_id: team?.team.id, ...more });
  const { key } = (await made({})).body as { key: string };
  return {
    owner,
    key,
    made,
    call: async (model: string, more: object = {}, by = key) => {
      const json = { model, messages: [{ role: "user", content: "hi" }], ...more };
      const answer = await app.call("/api/v1/chat/completions", { key: by, json });
      await answer.text();
      await app.service.books.flush();
      return answer;
    },
    usage: async () => {
      const { body } = await owner.send("GET", "/api/gw/usage?groupBy=model");
      const { data } = body as { data: { model: string | null; requests: number; failedRequests: number }[] };
      return data.map(({ model, requests }) => [model, requests]);
    },
  };
}

test("a model behind a pattern has its own name in the log, in the sums and in what became of the call", async () => {
  const caller = await newCaller();
  const answer = await caller.call("openai/gpt-5-mini");
  await caller.call("anthropic/claude-sonnet-4.5", { stream: true });
  expect(answer.status).toBe(200);
  expect(upstream.seen.model).toBe("anthropic/claude-sonnet-4.5");
  expect((await caller.usage()).sort()).toEqual([
    ["anthropic/claude-sonnet-4.5", 1],
    ["openai/gpt-5-mini", 1],
  ]);
  const { data } = (await caller.owner.send("GET", "/api/gw/logs")).body as { data: Record<string, unknown>[] };
  expect(data.map(({ model, costUsd }) => [model, Number(costUsd)])).toEqual([
    ["anthropic/claude-sonnet-4.5", 0.000105],
    ["openai/gpt-5-mini", 0.000105],
  ]);
  const id = answer.headers.get("x-request-id");
  const found = await app.call(`/api/v1/generation?id=${id}`, { key: caller.key });
  expect(await found.json()).toMatchObject({ data: { model: "openai/gpt-5-mini", total_cost: 0.000105 } });
  const rows = await (await app.call(`/spend/logs?request_id=${id}`, { key: MASTER_KEY })).json();
  expect(rows).toMatchObject([{ model: "openai/gpt-5-mini", model_group: "openai/gpt-5-mini" }]);
});

test("metrics and headers keep to the pattern: callers can make up names without end", async () => {
  const caller = await newCaller();
  const answer = await caller.call("openai/gpt-5-nano");
  expect(answer.headers.get("x-gw-model-group")).toBe("*");
  const metrics = await (await app.call("/metrics", { key: MASTER_KEY })).text();
  expect(metrics).toContain('model_group="*"');
  expect(metrics).not.toContain("gpt-5-nano");
});

test("a name that the upstream does not know counts for the pattern, one that it fails to serve for itself", async () => {
  const caller = await newCaller();
  upstream.mood = status(404);
  const answer = await caller.call("openai/made-up");
  expect(answer.status).toBe(404);
  upstream.mood = status(500);
  await caller.call("openai/gpt-5-mini");
  expect((await caller.usage()).sort()).toEqual([
    ["*", 1],
    ["openai/gpt-5-mini", 1],
  ]);
  // The log has what was asked for all the same.
  const { data } = (await caller.owner.send("GET", "/api/gw/logs")).body as { data: Record<string, unknown>[] };
  expect(data.map(({ requestedModel }) => requestedModel)).toEqual(["openai/gpt-5-mini", "openai/made-up"]);
  const id = answer.headers.get("x-request-id");
  const found = await app.call(`/api/v1/generation?id=${id}`, { key: caller.key });
  expect(await found.json()).toMatchObject({ data: { model: "openai/made-up" } });
});

test("a pattern for one model counts as itself, since every name is taken", async () => {
  const caller = await newCaller();
  await caller.call("any-thing");
  expect(await caller.usage()).toEqual([["any-*", 1]]);
});

test("what is given again has the name as well", async () => {
  const caller = await newCaller();
  const cached = { cache: { "use-cache": true } };
  await caller.call("openai/gpt-5-mini", cached);
  expect((await caller.call("openai/gpt-5-mini", cached)).headers.get("x-gw-cache-hit")).toBe("true");
  expect(await caller.usage()).toEqual([["openai/gpt-5-mini", 2]]);
});

test("who may call what goes by name and by pattern, as before", async () => {
  const caller = await newCaller();
  const keyFor = async (models: string[]) => ((await caller.made({ models })).body as { key: string }).key;
  const allowed = async (model: string, models: string[]) =>
    (await caller.call(model, {}, await keyFor(models))).status;
  expect(await allowed("openai/gpt-5-mini", ["openai/gpt-5-mini"])).toBe(200);
  expect(await allowed("openai/gpt-5-mini", ["openai/*"])).toBe(200);
  expect(await allowed("openai/gpt-5-mini", ["anthropic/*"])).toBe(403);
});
