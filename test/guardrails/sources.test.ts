import { afterAll, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const ADDRESS = "bob@example.com";
/** As Perplexity, xAI, Azure, Groq and vLLM have them. */
const SOURCES = {
  citations: [`https://example.com/?${ADDRESS}`],
  search_results: [{ title: "A page", snippet: `write to ${ADDRESS}`, url: "https://example.com" }],
  prompt_logprobs: [{ 1: { decoded_token: ADDRESS } }],
};
const TOLD = {
  context: { citations: [{ content: ADDRESS }] },
  executed_tools: [{ output: ADDRESS }],
};
const head = { id: "x", created: 1, model: "m" };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const frame = (fields: object): string =>
  `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`;
let words = "nothing";
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    const { stream } = (await request.json()) as { stream?: boolean };
    const message = { role: "assistant", content: words, ...TOLD, thoughts: `of ${ADDRESS} and others` };
    const choice = { index: 0, matched: ADDRESS };
    if (!stream)
      return Response.json({
        ...head,
        object: "chat.completion",
        choices: [{ ...choice, message, finish_reason: "stop" }],
        usage,
        ...SOURCES,
      });
    // Each piece has all that was said so far beside it.
    const piece = (delta: object, finish_reason: string | null = null) =>
      frame({ choices: [{ ...choice, delta, message, finish_reason }], ...SOURCES });
    const frames = [
      piece({ role: "assistant", content: words.slice(0, 6), ...TOLD, thoughts: "of bob@exam" }),
      piece({ content: words.slice(6), thoughts: "ple.com and others" }),
      piece({}, "stop"),
      frame({ choices: [], usage }),
      "data: [DONE]\n\n",
    ];
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } });
  },
});
const guardrail = (guardrail_name: string, litellm_params: object) => ({
  guardrail_name,
  litellm_params: { mode: "post_call", ...litellm_params },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "m",
        litellm_params: { model: "hosted_vllm/m", api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "k" },
        model_info: { free: true },
      },
    ],
    guardrails: [
      guardrail("masks", { guardrail: "pii" }),
      guardrail("blocks", { guardrail: "word_list", words: ["falcon"] }),
      guardrail("puts back", { guardrail: "pii", mode: "pre_call" }),
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

async function ask(name: string, stream: boolean, said: string, content = "who?"): Promise<[number, string]> {
  words = said;
  const json = { model: "m", stream, messages: [{ role: "user", content }], guardrails: [name] };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  return [response.status, await response.text()];
}

test.each([false, true])("nothing beside an answer tells what was masked in it (stream: %p)", async (stream) => {
  const [status, text] = await ask("masks", stream, `it is ${ADDRESS}`);
  expect(status).toBe(200);
  expect(text).not.toContain("bob");
  expect(text).toContain("[EMAIL_1]");
  // A text of the message that only its provider knows is looked at as any other.
  expect(text).toContain('"thoughts":"');
});

test.each([false, true])(
  "all that comes with an answer comes when nothing in it is refused (stream: %p)",
  async (stream) => {
    const [status, text] = await ask("blocks", stream, "it is a sparrow");
    expect(status).toBe(200);
    for (const name of ["snippet", "citations", "decoded_token", "executed_tools", "matched"])
      expect(text).toContain(name);
    // In a stream with its end.
    if (stream) expect(text.indexOf("snippet")).toBeGreaterThan(text.indexOf("sparrow"));
  },
);

test("what is said so far does not stand beside a piece that waits to be looked at", async () => {
  const [, text] = await ask("blocks", true, "it is a falcon");
  expect(text).not.toContain("falcon");
  expect(text).not.toContain("snippet");
});

test("what was masked stands again in a stream, and nowhere as its placeholder", async () => {
  const [, text] = await ask("puts back", true, "it is [EMAIL_1]", `I am ${ADDRESS}`);
  expect(text).not.toContain("[EMAIL_1]");
});
