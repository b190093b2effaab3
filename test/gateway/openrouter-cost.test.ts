import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const entry = (name: string, model: string, params: object, info: object = {}) => ({
  model_name: name,
  litellm_params: { model, api_base: upstream.address, api_key: "sk-up", ...params },
  model_info: info,
});
const PRICES = { input_cost_per_token: 0.000003, output_cost_per_token: 0.000015 };
const model_list = [
  entry("priced", "hosted_vllm/m", PRICES),
  entry("chat only", "ollama_chat/m", PRICES),
  entry("free", "hosted_vllm/m", {}, { free: true }),
];
const app = await startApp(JSON.stringify({ model_list }));
const cached = await startApp(
  JSON.stringify({ model_list, litellm_settings: { cache: true, cache_params: { type: "local" } } }),
);
afterAll(async () => {
  await Promise.all([app.close(), cached.close()]);
  await upstream.stop();
});

const keyOf = async (on: typeof app) => {
  const owner = await newPerson(on);
  const [team] = await on.storage.accounts.teams.list(owner.ownId);
  return ((await owner.send("POST", "/api/gw/api-keys", { name: "k", team_id: team?.team.id })).body as { key: string })
    .key;
};
const key = await keyOf(app);
const messages = [{ role: "user", content: "Hello!" }];
/** Ten tokens in, five out. */
const COST = 0.000105;

const call = (json: object, { on = app, by = key, path = "/api/v1/chat/completions" } = {}) =>
  on.call(path, { key: by, json: { model: "priced", messages, ...json } });
const usageOf = async (answer: Response) => ((await answer.json()) as { usage: Record<string, unknown> }).usage;
/** Of the one chunk that tells it. */
const usageIn = (text: string) =>
  text
    .split("\n\n")
    .filter((frame) => frame.includes('"usage":{'))
    .map((frame) => (JSON.parse(frame.slice("data: ".length)) as { usage: Record<string, unknown> }).usage);

test("usage: {include: true} tells what an answer costs, the same as its header and the log", async () => {
  const answer = await call({ usage: { include: true } });
  expect(answer.headers.get("x-gw-response-cost")).toBe(String(COST));
  expect(await usageOf(answer)).toEqual({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: COST });
});

test("also under /v1, and in a text completion", async () => {
  expect((await usageOf(await call({ usage: { include: true } }, { path: "/v1/chat/completions" }))).cost).toBe(COST);
  const text = await call(
    { prompt: "Hello!", messages: undefined, usage: { include: true } },
    { path: "/v1/completions" },
  );
  expect((await usageOf(text)).cost).toBe(COST);
});

test.each([[{}], [{ usage: { include: false } }], [{ stream_options: { include_usage: true }, stream: true }]])(
  "nobody else is told: %o",
  async (fields) => {
    expect(await (await call(fields)).text()).not.toContain('"cost"');
  },
);

test("a stream tells it in the chunk with the usage", async () => {
  const asked = await (await call({ stream: true, usage: { include: true } })).text();
  expect(usageIn(asked)).toEqual([{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: COST }]);
  expect(asked).toEndWith("data: [DONE]\n\n");
  const unasked = await (await call({ stream: true, stream_options: { include_usage: true } })).text();
  const without = (text: string) => text.replaceAll(`,"cost":${COST}`, "");
  expect(without(asked)).toBe(unasked);
  const text = { prompt: "Hello!", messages: undefined, stream: true, usage: { include: true } };
  expect(usageIn(await (await call(text, { path: "/v1/completions" })).text())).toMatchObject([{ cost: COST }]);
});

test("a model that is free costs nothing, and where no price is asked none is told", async () => {
  expect((await usageOf(await call({ model: "free", usage: { include: true } }))).cost).toBe(0);
  const stream = await (await call({ model: "free", stream: true, usage: { include: true } })).text();
  expect(usageIn(stream)).toMatchObject([{ cost: 0 }]);
  // Calls of the master key are charged to nobody.
  const answer = await call({ usage: { include: true } }, { by: MASTER_KEY });
  expect(answer.headers.has("x-gw-response-cost")).toBe("cost" in (await usageOf(answer)));
});

test("what is given again costs what a hit costs, and each is told as it asked", async () => {
  const by = await keyOf(cached);
  const ask = async (fields: object) => {
    const answer = await call(fields, { on: cached, by });
    return { hit: answer.headers.get("x-gw-cache-hit") === "true", text: await answer.text() };
  };
  for (const stream of [false, true]) {
    const asking = { stream, usage: { include: true } };
    const first = await ask(asking);
    expect(first).toMatchObject({ hit: false, text: expect.stringContaining(`"cost":${COST}`) });
    const second = await ask(asking);
    expect(second).toMatchObject({ hit: true, text: expect.stringContaining('"cost":0}') });
    await ask({ stream });
    expect(await ask({ stream })).toMatchObject({ hit: true, text: expect.not.stringContaining('"cost"') });
  }
});

test.each([
  ["plain", {}, { usage: { include: true } }, {}],
  ["plain, asked for last", {}, {}, { usage: { include: true } }],
  ["a text", { path: "/v1/completions" }, { usage: { include: true } }, { usage: { include: false } }],
  [
    "a stream with its usage",
    {},
    { stream: true, usage: { include: true } },
    { stream: true, stream_options: { include_usage: true } },
  ],
])("asking for the cost is no other question: %s", async (_, way, asked, unasked) => {
  const by = await keyOf(cached);
  const words = "path" in way ? { prompt: "Hi!", messages: undefined } : {};
  const ask = async (fields: object) => {
    const answer = await call({ ...words, ...fields }, { on: cached, by, ...way });
    const text = await answer.text();
    return { hit: answer.headers.get("x-gw-cache-hit") === "true", cost: text.includes('"cost"') };
  };
  const tells = (fields: object) => JSON.stringify(fields).includes('"include":true');
  expect(await ask(asked)).toEqual({ hit: false, cost: tells(asked) });
  expect(await ask(unasked)).toEqual({ hit: true, cost: tells(unasked) });
  expect(await ask({ ...unasked, usage: { include: false } })).toEqual({ hit: true, cost: false });
  expect(await ask(asked)).toEqual({ hit: true, cost: tells(asked) });
});

test("a stream without the usage is another answer than one with it", async () => {
  const by = await keyOf(cached);
  const ask = async (fields: object) => {
    const answer = await call({ stream: true, ...fields }, { on: cached, by });
    return [answer.headers.get("x-gw-cache-hit") === "true", usageIn(await answer.text()).length];
  };
  expect(await ask({ usage: { include: true } })).toEqual([false, 1]);
  expect(await ask({})).toEqual([false, 0]);
  expect(await ask({ usage: { include: false } })).toEqual([true, 0]);
});

describe("of an upstream that does not count", () => {
  beforeAll(() => {
    upstream.counts = false;
  });
  afterAll(() => {
    upstream.counts = true;
  });

  test.each([
    ["chat", { usage: { include: true } }, {}],
    ["text", { prompt: "Hello!", messages: undefined, usage: { include: true } }, { path: "/v1/completions" }],
    ["no price", { model: "free", usage: { include: true } }, {}],
  ])("the estimate is told that is charged: %s", async (_, fields, way) => {
    const answer = await call(fields, way);
    const cost = Number(answer.headers.get("x-gw-response-cost"));
    const usage = (await usageOf(answer)) as { [name: string]: number };
    const { prompt_tokens: input = 0, completion_tokens: output = 0 } = usage;
    expect(usage).toEqual({ prompt_tokens: input, completion_tokens: output, total_tokens: input + output, cost });
    expect([input > 0, output > 0]).toEqual([true, true]);
    expect("model" in fields ? 0 : input * 3 + output * 15).toBeCloseTo(cost * 1e6);
  });

  test("also out of the cache, and to nobody who does not ask", async () => {
    const by = await keyOf(cached);
    const asking = { usage: { include: true } };
    const first = await usageOf(await call(asking, { on: cached, by }));
    expect(await usageOf(await call(asking, { on: cached, by }))).toEqual({ ...first, cost: 0 });
    expect(await usageOf(await call({}, { on: cached, by }))).toBeUndefined();
  });

  const generate = async (action: string) => {
    const json = { contents: [{ parts: [{ text: "Hello!" }] }] };
    return (await app.call(`/v1beta/models/priced:${action}`, { key, json })).json();
  };

  test("Google's form tells it, too, also at the end of a stream", async () => {
    const { usageMetadata: usage } = (await generate("generateContent")) as { usageMetadata: Record<string, number> };
    expect(usage).toMatchObject({ candidatesTokenCount: 3, totalTokenCount: (usage.promptTokenCount ?? 0) + 3 });
    expect(usage.promptTokenCount).toBeGreaterThan(0);
    const pieces = (await generate("streamGenerateContent")) as object[];
    expect(pieces.at(-1)).toMatchObject({ candidates: [{ finishReason: "STOP" }], usageMetadata: usage });
    expect(JSON.stringify(pieces.slice(0, -1))).not.toContain("usageMetadata");
  });
});
