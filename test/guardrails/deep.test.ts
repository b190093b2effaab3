import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";

const LEVELS = 20_000;
const deep = `${'{"a":'.repeat(LEVELS)}"bob@example.com"${"}".repeat(LEVELS)}`;
const choice = (field: string, said: string, reason: string | null) =>
  `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"${field}":${said},"finish_reason":${JSON.stringify(reason)}}]}`;
let said = "{}";
let transcript = "";
let asked = "";
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    if (request.url.endsWith("/transcriptions")) return new Response(transcript);
    asked = await request.text();
    if (!asked.includes('"stream":true')) return new Response(choice("message", said, "stop"));
    const chunks = [
      choice("delta", '{"content":"word "}', null),
      choice("delta", said, null),
      choice("delta", "{}", "stop"),
    ];
    const body = `${chunks.map((chunk) => `data: ${chunk}\n\n`).join("")}data: [DONE]\n\n`;
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});
const at = { api_base: `http://127.0.0.1:${upstream.port}/v1`, api_key: "k" };
const app = await startApp(
  JSON.stringify({
    model_list: [
      { model_name: "m", litellm_params: { model: "hosted_vllm/m", ...at }, model_info: { free: true } },
      {
        model_name: "claude",
        litellm_params: { model: "anthropic/claude-sonnet-4-5", ...at },
        model_info: { free: true },
      },
      { model_name: "ears", litellm_params: { model: "openai/whisper-1", ...at }, model_info: { free: true } },
    ],
    guardrails: [
      { guardrail_name: "asked", litellm_params: { guardrail: "pii", mode: "pre_call" } },
      { guardrail_name: "said", litellm_params: { guardrail: "pii", mode: "post_call" } },
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});

const user = { role: "user", content: "I am ann@example.com" };
async function ask(path: string, json: object): Promise<{ status: number; text: string }> {
  const response = await app.call(path, { key: MASTER_KEY, json });
  return { status: response.status, text: await response.text() };
}
const TOO_DEEP = "The provider's answer is nested too deeply.";

describe.each([
  ["content", `{"role":"assistant","content":[${deep}]}`],
  ["arguments", `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":${deep}}}]}`],
  ["a field of its own", `{"role":"assistant","content":"bob@example.com","odd":${deep}}`],
])("an answer whose %s is nested deeply", (_, message) => {
  test.each(["asked", "said"])(
    "is a failure of the upstream for the guardrail that looks at what was %s",
    async (name) => {
      said = message;
      const fields = { model: "m", guardrails: [name] };
      const chat = { ...fields, messages: [user] };
      for (const [path, json] of [
        ["/v1/chat/completions", chat],
        ["/v1/messages", { ...chat, max_tokens: 9 }],
        ["/v1/responses", { ...fields, input: user.content }],
      ] as const) {
        const plain = await ask(path, json);
        expect(plain.status).toBe(502);
        expect(plain.text).toContain(TOO_DEEP);
        const streamed = await ask(path, { ...json, stream: true });
        expect(streamed.status).toBe(200);
        // What came before is there, with what was held back of it.
        expect(streamed.text).toContain("word");
        expect(streamed.text).toContain(TOO_DEEP);
        expect(streamed.text).not.toContain("bob");
      }
    },
  );
});

test("arguments of a call that nest deeply are refused where a guardrail cannot look into them", async () => {
  said = '{"role":"assistant","content":"ok"}';
  const called = { id: "1", type: "function", function: { name: "f", arguments: deep.replace("@", "\\u0040") } };
  const messages = [
    user,
    { role: "assistant", tool_calls: [called] },
    { role: "tool", tool_call_id: "1", content: "" },
  ];
  asked = "";
  const refused = await ask("/v1/chat/completions", { model: "m", messages, guardrails: ["asked"] });
  expect(refused.status).toBe(400);
  expect(refused.text).toContain("nested too deeply to be looked at by a guardrail");
  expect(asked).toBe("");
  expect((await ask("/v1/chat/completions", { model: "m", messages })).status).toBe(200);
  // Who wants an object gets them as the text that they are.
  await ask("/v1/chat/completions", { model: "claude", messages });
  expect(asked).toContain('"input":{"value":"{\\"a\\":');
});

describe("a transcript", () => {
  const hear = async (fields: Record<string, string>) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ model: "ears", ...fields })) body.set(name, value);
    body.set("file", new File(["sound"], "a.wav"));
    const response = await app.call("/v1/audio/transcriptions", { method: "POST", key: MASTER_KEY, body });
    return { status: response.status, text: await response.text() };
  };

  test("that is nested deeply is a failure of the upstream", async () => {
    transcript = `{"text":"bob@example.com","odd":${deep}}`;
    const heard = await hear({ guardrails: "said" });
    expect(heard.status).toBe(502);
    expect(heard.text).toContain(TOO_DEEP);
  });

  test("that is a text with a brace before it is looked at as any other", async () => {
    transcript = "{laughs} I am bob@example.com";
    expect(await hear({ guardrails: "said", response_format: "text" })).toEqual({
      status: 200,
      text: "{laughs} I am [EMAIL_1]",
    });
  });

  test("what a form says to guardrails is refused where it is nested deeply", async () => {
    expect((await hear({ guardrails: `[{"said":{"extra_body":${deep}}}]` })).status).toBe(400);
  });
});
