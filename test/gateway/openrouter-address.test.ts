import { afterAll, describe, expect, test } from "bun:test";
import { formatOfPath } from "../../src/http/route.ts";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody } from "../upstreams/moody.ts";

const upstream = new Moody("one");
const entry = (name: string, params: object, info: object = {}) => ({
  model_name: name,
  litellm_params: { model: "hosted_vllm/m", api_base: upstream.address, api_key: "sk-up", ...params },
  model_info: info,
});
const PRICES = { input_cost_per_token: 0.000003, output_cost_per_token: 0.0000155 };
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("acme/large", PRICES, { supports_vision: true, max_input_tokens: 8000, max_output_tokens: 1000 }),
      entry("acme/large", { ...PRICES, model: "openai/gpt-other" }),
      entry("acme/hidden", PRICES),
      entry("acme/unpriced", { model: "openai_like/m", api_base: "https://llm.example.com/v1" }),
      entry("acme/vectors", PRICES, { mode: "embedding" }),
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});
const owner = await newPerson(app);
const [team] = await app.storage.accounts.teams.list(owner.ownId);
const models = ["acme/large", "acme/unpriced", "acme/vectors"];
const made = await owner.send("POST", "/api/gw/api-keys", { name: "k", team_id: team?.team.id, models });
const { key } = made.body as { key: string };

const MESSAGES = [{ role: "user", content: "Hello!" }];
const ask = async (path: string, json?: object, sent = key) => {
  const answer = await app.call(path, { key: sent, ...(json ? { json } : {}) });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, never> };
};

test("every inference operation under /v1 is the same under /api/v1, but for those in Google's form", () => {
  const paths = app.service.routes.filter(({ tag }) => tag === "Inference" || tag === "Responses");
  const under = paths.flatMap((route) =>
    route.paths
      .filter((path) => path.startsWith("/v1/") && formatOfPath(path) !== "google")
      .map((path) => ({ route, path })),
  );
  expect(under.length).toBeGreaterThan(15);
  for (const { route, path } of under) expect(route.paths).toContain(`/api${path}`);
});

test.each([
  ["chat/completions", { model: "acme/large", messages: MESSAGES }, "choices"],
  ["completions", { model: "acme/large", prompt: "Hello!" }, "choices"],
  ["embeddings", { model: "acme/vectors", input: "Hello!" }, "data"],
  ["messages", { model: "acme/large", messages: MESSAGES, max_tokens: 9 }, "content"],
  ["responses", { model: "acme/large", input: "Hello!" }, "output"],
])("POST /api/v1/%s is answered", async (operation, json, field) => {
  const { status, body } = await ask(`/api/v1/${operation}`, json);
  expect({ status, has: field in body }).toEqual({ status: 200, has: true });
});

test("a stream comes from there, too", async () => {
  const json = { model: "acme/large", messages: MESSAGES, stream: true };
  const answer = await app.call("/api/v1/chat/completions", { key, json });
  expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
  expect(await answer.text()).toEndWith("data: [DONE]\n\n");
});

describe("errors there", () => {
  test.each([
    ["a wrong key", "/api/v1/chat/completions", { model: "acme/large", messages: MESSAGES }, "sk-wrong", 401],
    ["an unknown model", "/api/v1/chat/completions", { model: "none", messages: MESSAGES }, key, 404],
    [
      "a model that is not the key's",
      "/api/v1/chat/completions",
      { model: "acme/hidden", messages: MESSAGES },
      key,
      403,
    ],
    ["a body without what is needed", "/api/v1/chat/completions", {}, key, 422],
    ["what is not served", "/api/v1/nothing", {}, key, 404],
    ["a wrong key of a list", "/api/v1/models", undefined, "sk-wrong", 401],
    ["a wrong key of a key", "/api/v1/key", undefined, "sk-wrong", 401],
    ["a key where a token is needed", "/api/v1/credits", undefined, key, 401],
    ["a code that nobody was given", "/api/v1/auth/keys", { code: "c", code_verifier: "v".repeat(43) }, key, 403],
  ])("%s has the form that OpenAI's clients read", async (_, path, json, sent, status) => {
    const found = await ask(path, json, sent);
    expect(found.status).toBe(status);
    expect(found.body).toMatchObject({ error: { message: expect.any(String), type: expect.any(String) } });
  });

  test("those of messages have Anthropic's", async () => {
    const { status, body } = await ask("/api/v1/messages", { model: "none", messages: MESSAGES, max_tokens: 9 });
    expect({ status, body }).toMatchObject({
      status: 404,
      body: { type: "error", error: { type: "not_found_error" } },
    });
  });

  test("and what is elsewhere is told", async () => {
    const files = await ask("/api/v1/files");
    expect(JSON.stringify(files.body)).toContain(
      "under /api/v1 are calls of models and some operations of OpenRouter's, all else is under /v1 and /api.",
    );
    const calls = await ask("/api/v1/realtime/calls", {});
    expect(JSON.stringify(calls.body)).toContain("GET /v1/realtime opens a session");
  });

  test("the platform's stay as they are", async () => {
    const { status, body } = await ask("/api/gw/api-keys/none");
    expect({ status, code: body.code }).toEqual({ status: 401, code: "UNAUTHORIZED" as never });
  });
});

describe("GET /api/v1/models", () => {
  const list = async (query = "", sent = key) =>
    (await ask(`/api/v1/models${query}`, undefined, sent)).body.data as unknown as { id: string }[];

  test("has the key's models in OpenRouter's form", async () => {
    const found = await list();
    expect(found.map(({ id }) => id)).toEqual(["acme/large", "acme/unpriced"]);
    expect(found[0]).toMatchObject({
      id: "acme/large",
      name: "acme/large",
      context_length: 8000,
      architecture: {
        modality: "text+image->text",
        input_modalities: ["text", "image"],
        output_modalities: ["text"],
      },
      pricing: { prompt: "0.000003", completion: "0.0000155", request: "0" },
      top_provider: { context_length: 8000, max_completion_tokens: 1000 },
      supported_parameters: expect.arrayContaining(["temperature", "stream"]),
    });
    expect(found[1]).toMatchObject({ pricing: { prompt: "-1", completion: "-1" } });
  });

  test("shows the master key all of them", async () => {
    const names = (await list("?output_modalities=all", MASTER_KEY)).map(({ id }) => id);
    expect(names).toEqual(expect.arrayContaining(["acme/hidden", ...models, "echo"]));
  });

  test("is narrowed by what models answer with and take, and so is their number", async () => {
    expect((await list("?output_modalities=embeddings")).map(({ id }) => id)).toEqual(["acme/vectors"]);
    expect(await list("?output_modalities=all")).toHaveLength(3);
    expect(await list("?supported_parameters=temperature,no_such_thing")).toEqual([]);
    expect((await ask("/api/v1/models/count")).body).toEqual({ data: { count: 2 } } as never);
    expect((await ask("/api/v1/models/count?output_modalities=all")).body).toEqual({ data: { count: 3 } } as never);
  });

  test("prices have the mark-up that callers pay", async () => {
    const dearer = await startApp(
      JSON.stringify({
        model_list: [entry("m", PRICES, { markup_percent: 10 })],
      }),
    );
    const answer = await dearer.call("/api/v1/models", { key: MASTER_KEY });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    await dearer.close();
    expect(data.find(({ id }) => id === "m")).toMatchObject({
      pricing: { prompt: "0.0000033", completion: "0.00001705" },
    });
  });

  test("who serves a model is told of one that the key may call", async () => {
    const { status, body } = await ask("/api/v1/models/acme/large/endpoints");
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        data: {
          id: "acme/large",
          endpoints: [
            { provider_name: "vLLM", tag: "hosted_vllm", pricing: { prompt: "0.000003" }, status: 0 },
            { provider_name: "OpenAI", tag: "openai" },
          ],
        },
      },
    });
    for (const name of ["acme/hidden", "acme/none"])
      expect((await ask(`/api/v1/models/${name}/endpoints`)).status).toBe(404);
    expect(JSON.stringify(body)).not.toContain("127.0.0.1");
  });
});
