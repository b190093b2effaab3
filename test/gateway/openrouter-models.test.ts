import { afterAll, afterEach, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";

const [first, second] = [new Moody("first"), new Moody("second")];
const entry = (name: string, { address }: Moody) => ({
  model_name: name,
  litellm_params: { model: "hosted_vllm/m", api_base: address, api_key: "sk-up" },
  model_info: { free: true },
});
const model_list = [entry("first", first), entry("second", second)];
const app = await startApp(JSON.stringify({ model_list, router_settings: { num_retries: 0 } }));
afterEach(() => {
  first.mood = WELL;
});
afterAll(() => Promise.all([app.close(), first.stop(), second.stop()]));

const messages = [{ role: "user", content: "Hello!" }];
const OPERATIONS: [string, object][] = [
  ["/api/v1/chat/completions", { messages }],
  ["/v1/chat/completions", { messages, route: "fallback" }],
  ["/v1/chat/completions", { messages, model: null }],
  ["/api/v1/completions", { prompt: "Hello!" }],
  ["/api/v1/messages", { messages, max_tokens: 9 }],
  ["/api/v1/responses", { input: "Hello!" }],
];
const ask = (path: string, json: object) => app.call(path, { key: MASTER_KEY, json });

test.each(OPERATIONS)(
  "%s: of models without a model the first is asked, the next one if it fails",
  async (path, json) => {
    const well = await ask(path, { ...json, models: ["first", "second"] });
    expect([well.status, await well.text()]).toEqual([200, expect.stringContaining("I am first")]);
    expect(Object.keys(first.seen)).not.toContain("models");
    first.mood = status(500);
    const fallen = await ask(path, { ...json, models: ["first", "second"] });
    expect([fallen.status, await fallen.text()]).toEqual([200, expect.stringContaining("I am second")]);
    expect(fallen.headers.get("x-gw-attempted-fallbacks")).toBe("1");
  },
);

test.each(OPERATIONS)("%s: a model that is named comes first all the same", async (path, json) => {
  const answer = await ask(path, { ...json, model: "second", models: ["first"] });
  expect(await answer.text()).toContain("I am second");
});

test.each([[undefined], [[]], [[7]], [[""]], ["first"]])("models: %p do not name a model", async (models) => {
  expect((await ask("/v1/chat/completions", { messages, models })).status).toBe(422);
});
