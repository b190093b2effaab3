import { describe, expect, test } from "bun:test";
import { Glob } from "bun";
import fc from "fast-check";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { always, spoiled, tripped } from "../../test/upstreams/hostile.ts";
import { ChatRequest } from "../contract/chat.ts";
import { EmbeddingRequest } from "../contract/embeddings.ts";
import { ERRORS, GatewayError } from "../contract/errors.ts";
import { RerankRequest } from "../contract/rerank.ts";
import type { Dialect, Provider, Target, UpstreamRequest } from "./dialect.ts";
import { ROWS } from "./openai-like/table.ts";
import { listProviders, providerOf } from "./registry.ts";

const SCHEMA = {
  type: "object",
  description: "words",
  properties: {
    a: { type: "string", format: "date", minLength: 1, $ref: "#/$defs/b" },
    c: { anyOf: [{ type: "null" }] },
  },
  required: ["a"],
  $defs: { b: { type: ["string", "null"], enum: ["x"] } },
};
const call = (id: string) => ({ id, type: "function", function: { name: "look", arguments: '{"at":"it"}' } });

/** A request that has something of everything. */
const CHAT = {
  model: "mine",
  messages: [
    { role: "system", content: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] },
    {
      role: "user",
      name: "ann",
      content: [
        { type: "text", text: "What?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low", format: "image/png" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      reasoning_content: "hm",
      thinking_blocks: [{ type: "thinking", thinking: "hm", signature: "s" }],
      provider_specific_fields: { thought_signatures: ["s"] },
      tool_calls: [call("c1")],
    },
    { role: "tool", tool_call_id: "c1", name: "look", content: "a cat" },
    { role: "assistant", function_call: { name: "look", arguments: "{}" } },
    { role: "function", name: "look", content: "a dog" },
  ],
  tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters: SCHEMA, strict: true } }],
  tool_choice: { type: "function", function: { name: "look" } },
  response_format: { type: "json_schema", json_schema: { name: "s", schema: SCHEMA } },
  modalities: ["text"],
  reasoning_effort: "low",
  thinking: { type: "enabled", budget_tokens: 2000 },
  stop: ["END"],
  service_tier: "auto",
  user: "ann",
  extra_headers: { "anthropic-beta": "a" },
  options: { top_k: 1 },
  something_else: "x",
};
/** Parts and tools of which some providers take none, so that nothing behind them would be looked at. */
const saying = (...content: readonly object[]) => ({ model: "mine", messages: [{ role: "user", content }] });
const CHATS = [
  CHAT,
  saying({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }),
  saying({
    type: "file",
    file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AA", file_id: "files/a" },
  }),
  saying({ type: "video_url", video_url: { url: "gs://a/b.mp4" } }, { type: "refusal", refusal: "No." }),
  { ...saying(), functions: [{ name: "look", parameters: {} }], function_call: { name: "look" } },
  { ...saying(), tools: [{ type: "custom", custom: { name: "look" } }], tool_choice: "auto" },
  { ...saying(), tools: [{ googleSearch: {} }], response_format: { type: "json_object" } },
];
const EMBEDDING = { model: "mine", input: ["a"], embedding_types: ["float"], task_type: "x", options: { a: 1 } };
const RERANK = { model: "mine", query: "a", documents: ["a", { text: "b", more: { c: 1 } }], rank_fields: ["text"] };

/** A deployment that every provider takes: the values stand for keys, places and addresses alike. */
const targetOf = (provider: string, upstreamModel: string): Target => ({
  provider,
  upstreamModel,
  apiBase: "https://upstream.example",
  apiKey: "key",
  apiVersion: null,
  params: { aws_region_name: "us-east-1" },
  env: () => undefined,
});

const MODELS: Readonly<Record<string, readonly string[]>> = {
  "anthropic chat": ["claude-3-haiku-20240307", "claude-sonnet-4-5", "claude-opus-5-5"],
  "bedrock chat": ["anthropic.claude-sonnet-4-5-v1:0", "amazon.nova-pro-v1:0"],
  "bedrock embedding": ["cohere.embed-v4:0", "amazon.titan-embed-text-v2:0"],
  "gemini chat": ["gemini-3-pro", "gemini-2.0-flash"],
  "vertex_ai chat": ["gemini-2.5-flash", "claude-sonnet-4-5"],
};

/** Whatever the contract lets through is sent on or refused; it never fails in another way. */
function check(
  provider: Provider,
  operation: "chat" | "embedding" | "rerank",
  schema: TSchema,
  requests: readonly object[],
) {
  const dialect = provider[operation] as Dialect<unknown, unknown>;
  const models = MODELS[`${provider.id} ${operation}`] ?? ["a-model"];
  const targets = models.map((model) => targetOf(provider.id, model));
  for (const target of targets) expect(() => dialect.encode(requests[0], target)).not.toThrow();
  const contract = Compile(schema);
  const isLetThrough = (request: unknown) => contract.Check(request);
  fc.assert(
    fc.property(fc.oneof(...requests.map(spoiled)).filter(isLetThrough), (request) => {
      for (const target of targets) expectSentOrRefused(() => dialect.encode(request, target));
    }),
    always(requests.flatMap(tripped).filter(isLetThrough)),
  );
}

function expectSentOrRefused(encode: () => UpstreamRequest): void {
  try {
    expect(encode().url).toStartWith("https://upstream.example");
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({ kind: "invalid_request" });
  }
}

/** Of the rows that are all alike one is enough; echo checks its requests itself, in `echo.test.ts`. */
const ALIKE = ROWS.filter(({ quirks }) => quirks === undefined).map(({ id }) => id as string);
const IN_RESPONSES = ["openai", "azure"].flatMap((provider) => providerOf({ provider, form: "responses" }) ?? []);
const PROVIDERS = [...listProviders(), ...IN_RESPONSES].filter(
  ({ id }) => id !== "echo" && !ALIKE.slice(1).includes(id),
);

describe.each(PROVIDERS.map((provider) => [provider.id, provider] as const))("what is asked of %s", (_, provider) => {
  if (provider.chat) test("in a chat is sent on or refused", () => check(provider, "chat", ChatRequest, CHATS));
  if (provider.embedding) {
    test("for embeddings is sent on or refused", () => check(provider, "embedding", EmbeddingRequest, [EMBEDDING]));
  }
  if (provider.rerank) test("to rank is sent on or refused", () => check(provider, "rerank", RerankRequest, [RERANK]));
});

/** The error shapes of all providers in one. */
const FAILURE = {
  error: {
    code: "x",
    type: "y",
    message: "z",
    status: "w",
    innererror: { code: "v", content_filter_result: { hate: {} } },
  },
  ...{ message: "a", Message: "b", detail: "c", __type: "d", type: "error" },
};

test.each(listProviders().map((provider) => [provider.id, provider] as const))(
  "a failure of %s has a kind and a message, whatever its body holds",
  (_, provider) => {
    for (const body of [FAILURE, [FAILURE]].flatMap(tripped)) {
      for (const status of [400, 403, 404, 500]) {
        const found = provider.classify({ status, headers: new Headers(), body: JSON.stringify(body) });
        expect(Object.keys(ERRORS)).toContain(found.kind);
        expect(found.message).toBeString();
      }
    }
  },
);

test("the contract wants the type of a part, and of a tool only text", () => {
  const contract = Compile(ChatRequest);
  const withPart = (part: object) => ({ model: "mine", messages: [{ role: "user", content: [part] }] });
  expect([{}, { type: null }, { type: { toString: "" } }].map((part) => contract.Check(withPart(part)))).not.toContain(
    true,
  );
  const offering = (tool: object) => contract.Check({ ...withPart({ type: "text" }), tools: [tool] });
  expect([{ googleSearch: {} }, { type: "custom" }, { type: null }, { type: {} }].map(offering)).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test("no source here makes text with String(), which throws on what a caller or an upstream may send", async () => {
  for await (const path of new Glob("**/*.ts").scan(import.meta.dir)) {
    if (/(^|\/)test-|\.test\.ts$/.test(path)) continue;
    const text = await Bun.file(`${import.meta.dir}/${path}`).text();
    expect([path, /(?<![\w.])String\(/.test(text)]).toEqual([path, false]);
  }
});
