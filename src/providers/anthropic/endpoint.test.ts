import { expect, test } from "bun:test";
import type { Target } from "../dialect.ts";
import { anthropicChat } from "./chat.ts";
import { chatRequest, target } from "./test-request.ts";

const encode = (settings: Partial<Target>, fields = {}) => anthropicChat.encode(chatRequest(fields), target(settings));
const envOf = (values: Readonly<Record<string, string>>) => (name: string) => values[name];

test("a call goes to the Messages interface with the deployment's key", () => {
  const { url, headers } = encode({});
  expect(url).toBe("https://api.anthropic.com/v1/messages");
  expect(headers).toEqual({
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
    "x-api-key": "sk-ant-test",
  });
});

test("a base may have slashes, the version or the whole path at its end", () => {
  for (const apiBase of ["https://a.test", "https://a.test/", "https://a.test/v1", "https://a.test/v1/messages/"]) {
    expect(encode({ apiBase }).url).toBe("https://a.test/v1/messages");
  }
  expect(encode({ apiBase: "https://a.test/anthropic" }).url).toBe("https://a.test/anthropic/v1/messages");
});

test("key, token and base come from the environment when the deployment has none", () => {
  const env = envOf({ ANTHROPIC_API_KEY: "sk-env", ANTHROPIC_BASE_URL: "https://proxy.test/" });
  expect(encode({ apiKey: null, env })).toMatchObject({
    url: "https://proxy.test/v1/messages",
    headers: { "x-api-key": "sk-env" },
  });
  const { headers } = encode({ apiKey: null, env: envOf({ ANTHROPIC_AUTH_TOKEN: "token" }) });
  expect(headers.authorization).toBe("Bearer token");
  expect(headers["x-api-key"]).toBeUndefined();
});

test("a missing key is the operator's fault and says what to set", () => {
  expect(() => encode({ apiKey: null })).toThrow(
    "Anthropic needs a key: set api_key in the deployment or ANTHROPIC_API_KEY in the environment.",
  );
});

test("betas of the deployment, the request and its files are joined, each once", () => {
  const params = { extra_headers: { "Anthropic-Beta": "a-2025, b-2025", "X-Team": "red" } };
  const messages = [{ role: "user", content: [{ type: "file", file: { file_id: "file_011" } }] }];
  const { headers, body } = encode({ params }, { messages, anthropic_beta: ["b-2025", "c-2025"] });
  expect(headers["anthropic-beta"]).toBe("a-2025,b-2025,c-2025,files-api-2025-04-14");
  expect(headers["x-team"]).toBe("red");
  expect(String(body)).not.toContain("anthropic_beta");
});

test("a request may ask for betas and for no other header", () => {
  const extra_headers = { "anthropic-beta": "d-2025\r\nx-evil: 1,e-2025", "x-api-key": "stolen", Authorization: "no" };
  const { headers, body } = encode({}, { extra_headers });
  expect(headers["anthropic-beta"]).toBe("e-2025");
  expect(headers["x-api-key"]).toBe("sk-ant-test");
  expect(headers.authorization).toBeUndefined();
  expect(String(body)).not.toContain("extra_headers");
});

test("tokens are counted with what the counter takes of a request", () => {
  const { countTokens } = anthropicChat;
  const request = chatRequest({ max_tokens: 9, temperature: 1, user: "u", stream: true, tools: [] });
  const counted = countTokens?.encode(request, target());
  expect(counted?.url).toBe("https://api.anthropic.com/v1/messages/count_tokens");
  expect(JSON.parse(String(counted?.body))).toEqual({
    model: "claude-sonnet-4-20250514",
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  });
  expect(countTokens?.decode({ input_tokens: 2095 })).toBe(2095);
  for (const body of [null, {}, { input_tokens: -1 }, { input_tokens: "12" }, { input_tokens: Number.NaN }]) {
    expect(() => countTokens?.decode(body)).toThrow("Anthropic's answer is not a count.");
  }
});
