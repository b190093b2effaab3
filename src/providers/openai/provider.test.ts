import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { always, tripped } from "../../../test/upstreams/hostile.ts";
import type { ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { openai } from "./provider.ts";
import { jsonOf, targetOf } from "./test-target.ts";

const MESSAGES: ChatRequest["messages"] = [{ role: "user", content: "Hello" }];
const target = targetOf("openai");

const chat = (request: Record<string, unknown>, at = target) => {
  const encoded = openai.chat?.encode({ model: "group", messages: MESSAGES, ...request }, at);
  if (!encoded) throw new Error("no chat");
  return encoded;
};

describe("a request to OpenAI", () => {
  test.each([
    ["chat", "/chat/completions", { messages: MESSAGES }],
    ["completion", "/completions", { prompt: "Hello" }],
    ["embedding", "/embeddings", { input: "Hello" }],
    ["moderation", "/moderations", { input: "Hello" }],
    ["speech", "/audio/speech", { input: "Hello", voice: "alloy" }],
    ["image", "/images/generations", { prompt: "Hello" }],
  ] as const)("goes to the path of %s with its fields, the key and the upstream's model", (operation, path, fields) => {
    const dialect = openai[operation] as { encode(request: object, at: typeof target): ReturnType<typeof chat> };
    const request = dialect.encode({ model: "group", ...fields }, target);
    expect(request.url).toBe(`https://api.openai.com/v1${path}`);
    expect(request.headers).toEqual({ "content-type": "application/json", authorization: "Bearer sk-deployment" });
    expect(jsonOf(request)).toEqual({ model: "a-model", ...fields });
  });

  test("carries a rich request as it came, with what is the gateway's own left behind", () => {
    const passed = {
      temperature: 0.2,
      stop: ["a", "b"],
      seed: 7,
      tools: [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }],
      tool_choice: { type: "function", function: { name: "weather" } },
      parallel_tool_calls: false,
      response_format: { type: "json_schema", json_schema: { name: "x", schema: { type: "object" } } },
      store: true,
      a_field_of_tomorrow: { deep: [1, null] },
    };
    const kept = { metadata: { a: 1 }, guardrails: ["g"], fallbacks: ["x"], cache: {}, num_retries: 2, tags: ["t"] };
    const credentials = { api_key: "sk-caller", api_base: "http://elsewhere", organization: "org" };
    const request = chat({ ...passed, ...kept, ...credentials, user: null, top_p: null });
    expect(jsonOf(request)).toEqual({ model: "a-model", messages: MESSAGES, ...passed });
  });

  test("asks for the usage of every stream and keeps the caller's other wishes", () => {
    expect(jsonOf(chat({ stream: true })).stream_options).toEqual({ include_usage: true });
    const options = { include_usage: false, include_obfuscation: false };
    expect(jsonOf(chat({ stream: true, stream_options: options })).stream_options).toEqual({
      include_usage: true,
      include_obfuscation: false,
    });
    const completion = openai.completion?.encode({ model: "g", prompt: "p", stream: true }, target);
    expect(completion && jsonOf(completion).stream_options).toEqual({ include_usage: true });
  });

  test("has no stream options when it is not streamed", () => {
    expect(jsonOf(chat({ stream: false, stream_options: { include_usage: true } }))).not.toHaveProperty(
      "stream_options",
    );
    const speech = openai.speech?.encode({ model: "g", input: "x", voice: "v", stream: true }, target);
    expect(speech && jsonOf(speech)).not.toHaveProperty("stream_options");
  });

  test("leaves the request that it was made from as it was", () => {
    const messages = [{ role: "user", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] }];
    const request = { messages, stream: true, stream_options: {}, max_tokens: 5 };
    const before = structuredClone(request);
    chat(request, targetOf("openai", { upstreamModel: "o3" }));
    expect(request).toEqual(before);
  });

  test("fails only with a gateway error, whatever the request holds", () => {
    const messages = [
      { role: "user", name: "n", constructor: "c", content: [{ type: "text" }], tool_calls: [{ id: "a" }] },
    ];
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (fields) => {
        try {
          expect(jsonOf(chat(fields))).toBeObject();
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(GatewayError);
        }
      }),
      always(tripped({ messages, tools: [{ type: "x" }], constructor: 1 }).filter(isRecord) as never[]),
    );
  });
});

describe("the address and the key", () => {
  test.each([
    ["https://eu.api.openai.com/v1", "https://eu.api.openai.com/v1/chat/completions"],
    ["https://eu.api.openai.com/v1///", "https://eu.api.openai.com/v1/chat/completions"],
    ["https://proxy.example/v1/?tenant=7", "https://proxy.example/v1/chat/completions?tenant=7"],
    ["http://localhost:8000/v1/chat/completions", "http://localhost:8000/v1/chat/completions"],
  ])("take the deployment's base %s", (apiBase, url) => {
    expect(chat({}, targetOf("openai", { apiBase })).url).toBe(url);
  });

  test("come from the environment where the deployment has none", () => {
    const variables = {
      OPENAI_API_KEY: "sk-usual\n",
      OPENAI_API_BASE: "http://proxy/v1",
      OPENAI_ORGANIZATION: "org-1",
    };
    const request = chat({}, targetOf("openai", { apiKey: null, variables }));
    expect(request.url).toBe("http://proxy/v1/chat/completions");
    expect(request.headers).toMatchObject({ authorization: "Bearer sk-usual", "openai-organization": "org-1" });
  });

  test("a deployment's own organization comes before the environment's", () => {
    const at = targetOf("openai", { params: { organization: "org-2" }, variables: { OPENAI_ORGANIZATION: "org-1" } });
    expect(chat({}, at).headers["openai-organization"]).toBe("org-2");
  });

  test("a missing key is the operator's fault, and the message says what to set", () => {
    expect(() => chat({}, targetOf("openai", { apiKey: null }))).toThrow(
      new GatewayError(
        "upstream_authentication",
        "OpenAI needs a key: set api_key in the deployment or OPENAI_API_KEY in the environment.",
      ),
    );
  });

  test("a server of the operator's own needs no key", () => {
    const { headers } = chat({}, targetOf("openai", { apiKey: null, apiBase: "http://localhost:8000/v1" }));
    expect(headers).not.toHaveProperty("authorization");
  });
});
