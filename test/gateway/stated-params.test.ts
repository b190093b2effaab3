// `supported_openai_params` of a deployment's `model_info`: its operator knows what the model takes.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

let seen: Record<string, unknown>[] = [];
const upstream = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1", development: false },
  async fetch(request) {
    const body = (await request.json()) as Record<string, unknown>;
    seen.push(body);
    const said = { id: "x", object: "chat.completion", created: 1, model: "m" };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (body.stream !== true) {
      const choices = [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }];
      return Response.json({ ...said, choices, usage });
    }
    const choices = [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }];
    const chunk = { ...said, object: "chat.completion.chunk", choices, usage };
    const headers = { "content-type": "text/event-stream" };
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, { headers });
  },
});
const entry = (model_name: string, supported_openai_params: unknown, more: object = {}, model = "openai/gpt-4o") => ({
  model_name,
  litellm_params: { model, api_base: `${upstream.url.origin}/v1`, api_key: "k", ...more },
  model_info: { free: true, supported_openai_params },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("narrow", ["temperature", "max_tokens"]),
      entry("lenient", ["temperature", "max_tokens"], { drop_params: true }),
      entry("wide", ["temperature", "logit_bias", "reasoning_effort", "max_tokens"], {}, "groq/qwen"),
      entry("unstated", undefined),
      entry("odd", "temperature"),
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});
beforeEach(() => {
  seen = [];
});

const post = (path: string, json: object) => app.call(path, { key: MASTER_KEY, json });
const chat = (model: string, fields: object) =>
  post("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hi" }], ...fields });

describe("a deployment that states its parameters", () => {
  test("takes these, and refuses or drops others that its provider has", async () => {
    expect((await chat("narrow", { temperature: 0.5 })).status).toBe(200);
    expect(seen[0]).toMatchObject({ temperature: 0.5 });
    const refused = await chat("narrow", { seed: 7 });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("`seed`");
    expect((await chat("lenient", { seed: 7, temperature: 0.5 })).status).toBe(200);
    expect(Object.keys(seen[1] ?? {}).sort()).toEqual(["messages", "model", "temperature"]);
    expect((await chat("unstated", { seed: 7 })).status).toBe(200);
    expect((await chat("odd", { seed: 7 })).status).toBe(200);
  });

  test("gets those that its provider is not known to take as they are", async () => {
    const bias = { "50256": -100 };
    expect((await chat("wide", { logit_bias: bias, temperature: 0.5 })).status).toBe(200);
    expect(seen[0]).toMatchObject({ logit_bias: bias, temperature: 0.5 });
  });

  test("streams all the same, and has one limit by either of its names", async () => {
    for (const limit of ["max_tokens", "max_completion_tokens"]) {
      const answer = await chat("narrow", { stream: true, stream_options: { include_usage: true }, [limit]: 5 });
      expect([answer.status, (await answer.text()).includes("Hi")]).toEqual([200, true]);
    }
    expect((await post("/v1/responses", { model: "narrow", input: "Hi", max_output_tokens: 20 })).status).toBe(200);
  });

  test("thinks for Anthropic's callers where it says that it can be told how hard", async () => {
    const thinking = { type: "enabled", budget_tokens: 1024 };
    const messages = [{ role: "user", content: "Hi" }];
    for (const model of ["wide", "narrow"]) {
      expect((await post("/v1/messages", { model, max_tokens: 2000, thinking, messages })).status).toBe(200);
    }
    expect(seen.map(({ reasoning_effort: effort }) => effort)).toEqual(["low", undefined]);
  });
});
