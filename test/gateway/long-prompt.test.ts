import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const seen: string[] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    seen.push(await request.text());
    const message = { role: "assistant", content: "yes" };
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
    const answer = { id: "x", object: "chat.completion", created: 1, model: "theirs" };
    return Response.json({ ...answer, choices: [{ index: 0, message, finish_reason: "stop" }], usage });
  },
});
const app = await startApp(`
model_list:
  - model_name: ours
    litellm_params: { model: openai/theirs, api_base: "${upstream.url.origin}/v1", api_key: sk-x }
    model_info: { free: true }
guardrails:
  - guardrail_name: emails
    litellm_params: { guardrail: pii, mode: pre_call, action: mask }
`);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

const WORDS = "word ".repeat(20_000);

/** What the upstream gets for a body with this text. */
async function sent(body: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  const response = await app.call("/v1/chat/completions", { method: "POST", key: MASTER_KEY, headers, body });
  expect(response.status).toBe(200);
  return seen.at(-1) ?? "";
}

describe("a long prompt", () => {
  test("goes on as it was written, with the upstream's name of the model", async () => {
    const body = `{ "model": "ours", "messages": [ {"role":"user", "content":"${WORDS}\\u00fc"} ] }`;
    expect(await sent(body)).toBe(body.replace(' "ours"', '"theirs"'));
  });

  test("goes on without what is the gateway's", async () => {
    const messages = [{ role: "user", content: WORDS }];
    const own = { model: "ours", messages, metadata: null, drop_params: true, num_retries: 0 };
    expect(JSON.parse(await sent(JSON.stringify(own)))).toEqual({ model: "theirs", messages });
  });

  test("with a part that is written twice goes on with the one that was looked at", async () => {
    const content = `"content":"hidden","content":"${WORDS}"`;
    const text = await sent(`{"model":"ours","messages":[{"role":"user",${content}}],"n":2,"n":1}`);
    expect(text).not.toContain("hidden");
    expect(JSON.parse(text)).toEqual({ model: "theirs", messages: [{ role: "user", content: WORDS }], n: 1 });
  });

  test("that a guardrail has changed goes on as it was changed", async () => {
    const content = `${WORDS} write to jane.roe@example.com`;
    const asked = { model: "ours", messages: [{ role: "user", content }], guardrails: ["emails"] };
    expect(await sent(JSON.stringify(asked))).not.toContain("jane.roe");
  });
});
