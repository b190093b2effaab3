import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

/** "hello world" and "to bob@example.com" in cl100k_base; in o200k_base they are " awesome down" and something else. */
const HELLO = [15339, 1917];
const MAIL = [998, 36292, 36587, 916];

const seen: Record<string, unknown>[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const body = (await request.json()) as Record<string, unknown>;
    seen.push(body);
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/bad")) return Response.json({ error: {} }, { status: 500 });
    if (pathname.endsWith(":embedContent"))
      return Response.json({ embedding: { values: [1, 2] }, usageMetadata: { promptTokenCount: 2 } });
    const usage = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };
    return pathname.endsWith("/embeddings")
      ? Response.json({ object: "list", model: "m", data: [{ object: "embedding", index: 0, embedding: [1] }], usage })
      : Response.json({ id: "c", object: "text_completion", created: 1, model: "m", choices: [], usage });
  },
});
const base = `http://127.0.0.1:${upstream.port}`;
const entry = (name: string, model: string, mode: string, more: object = {}, path = "/v1") => ({
  model_name: name,
  litellm_params: { model, api_base: base + path, api_key: "k", api_version: "2024-10-21" },
  model_info: { mode, free: true, ...more },
});
const guardrail = (name: string, params: object) => ({ guardrail_name: name, litellm_params: params });
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("small", "openai/text-embedding-3-small", "embedding"),
      entry("named", "azure/ours", "embedding", { base_model: "azure/text-embedding-3-small" }),
      entry("unknown", "hosted_vllm/bge", "embedding"),
      entry("mixed", "openai/text-embedding-3-small", "embedding"),
      entry("mixed", "openai/gpt-4o", "embedding"),
      entry("instruct", "openai/gpt-3.5-turbo-instruct", "completion"),
      entry("old", "openai/text-davinci-003", "completion"),
      entry("google", "gemini/gemini-embedding-001", "embedding", {}, ""),
      entry("broken", "openai/text-embedding-3-small", "embedding", {}, "/bad"),
    ],
    router_settings: { num_retries: 0, fallbacks: [{ broken: ["google"] }] },
    guardrails: [
      guardrail("mask", { guardrail: "pii" }),
      guardrail("words", { guardrail: "word_list", words: ["hello world"] }),
      guardrail("length", { guardrail: "prompt_length", max_tokens: 1000 }),
      guardrail("answers", { guardrail: "pii", mode: "post_call" }),
      guardrail("log", { guardrail: "pii", mode: "logging_only" }),
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});
beforeEach(() => {
  seen.length = 0;
});

async function send(path: "embeddings" | "completions", json: object) {
  const response = await app.call(`/v1/${path}`, { key: MASTER_KEY, json });
  return { status: response.status, text: await response.text() };
}
const embed = (model: string, input: unknown, guardrails: string[] = []) =>
  send("embeddings", { model, input, guardrails });

describe("token numbers", () => {
  test.each([["mask"], ["length"], ["answers"], ["log"]])(
    "go on as they came where %s changes nothing",
    async (name) => {
      for (const model of ["small", "named"]) {
        for (const input of [HELLO, [HELLO, [9906]]]) {
          expect((await embed(model, input, [name])).status).toBe(200);
          expect(seen.at(-1)?.input).toEqual(input);
        }
      }
    },
  );

  test("are read by the model's own vocabulary", async () => {
    expect(await embed("small", HELLO, ["words"])).toMatchObject({ status: 400 });
    expect(await embed("named", [[9906], HELLO], ["words"])).toMatchObject({ status: 400 });
    expect(await send("completions", { model: "instruct", prompt: HELLO, guardrails: ["words"] })).toMatchObject({
      status: 400,
    });
    // "hello world" of an older model.
    expect(await send("completions", { model: "old", prompt: [31373, 995], guardrails: ["words"] })).toMatchObject({
      status: 400,
    });
    expect(seen).toEqual([]);
  });

  test("are text where something in them is masked", async () => {
    expect((await embed("small", MAIL, ["mask"])).status).toBe(200);
    expect(seen.at(-1)?.input).toBe("to [EMAIL_1]");
  });

  test.each(["unknown", "mixed"])("of a vocabulary that is not known are refused: %s", async (model) => {
    for (const name of ["mask", "words", "length"]) {
      const { status, text } = await embed(model, HELLO, [name]);
      expect(status).toBe(400);
      expect(text).toContain("send text instead");
      expect(JSON.parse(text).error.param).toBe("input");
    }
    expect(seen).toEqual([]);
    // Nobody has to read them there.
    for (const guardrails of [[], ["answers"], ["log"]]) {
      expect((await embed(model, HELLO, guardrails)).status).toBe(200);
      expect(seen.at(-1)?.input).toEqual(HELLO);
    }
  });

  test("are refused, too, where a provider takes text alone", async () => {
    const { status, text } = await embed("google", HELLO);
    expect(status).toBe(400);
    expect(text).toContain("send text instead");
  });

  test("for a model that stands in are those of the model that was asked for", async () => {
    expect((await embed("broken", HELLO)).status).toBe(200);
    expect(JSON.stringify(seen.at(-1))).toContain("hello world");
  });
});
