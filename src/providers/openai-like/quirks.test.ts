import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Operation } from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import type { Dialect } from "../dialect.ts";
import { jsonOf, targetOf } from "../openai/test-target.ts";
import { buildRow } from "./build-row.ts";
import { nineCharacters } from "./nine-characters.ts";
import type { Quirks, Row } from "./row.ts";
import { openAiLike, ROWS } from "./table.ts";

/** What a row makes of a request: a row with quirks has an example here that shows them. */
interface Example {
  readonly operation?: Operation;
  readonly model?: string;
  readonly given: object;
  /** Null: the field must not be sent. */
  readonly sent: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly renameDelta?: object;
}

const message = (role: string, fields: object = {}) => ({ role, content: "x", ...fields });
const USER = message("user", { name: "n" });
const DEVELOPER = message("developer");
const THOUGHT = message("assistant", { reasoning_content: "hm", thinking_blocks: [], annotations: [] });
const NOTED = message("assistant", { annotations: [] });
const MARKED = message("user", { content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] });
const SYSTEM = message("system");
const PLAIN = message("assistant");
const KEPT = message("assistant", { reasoning_content: "hm" });
const PARTS = message("user", {
  content: [
    { type: "text", text: "a" },
    { type: "text", text: "b" },
  ],
});
const JOINED = message("user", { content: "a\nb" });
const REASONING = { reasoning: "reasoning_content" };
const LIMIT = { max_completion_tokens: 5 };
const OLDER_LIMIT = { max_tokens: 5, max_completion_tokens: null };
const BOTH_LIMITS = { max_tokens: 4, max_completion_tokens: 5 };
const NEWER_LIMIT = { max_tokens: null, max_completion_tokens: 5 };

const CALL = { type: "function", function: { name: "f", arguments: "{}" } };
const MISTRAL: Example = {
  given: {
    ...LIMIT,
    seed: 7,
    tool_choice: "required",
    stream: true,
    messages: [
      USER,
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "call_1234567890", ...CALL },
          { id: "abcDEF123", ...CALL },
        ],
      },
      { role: "tool", content: "1", name: "f", tool_call_id: "call_1234567890" },
      message("user", {
        content: [
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
          { type: "file", file: { file_data: "JVBERi0=" } },
          { type: "file", file: { file_id: "00edaf84" } },
          { type: "text", text: "x" },
        ],
      }),
    ],
  },
  sent: {
    ...OLDER_LIMIT,
    seed: null,
    random_seed: 7,
    tool_choice: "any",
    stream_options: null,
    messages: [
      message("user"),
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: nineCharacters("call_1234567890"), ...CALL },
          { id: "abcDEF123", ...CALL },
        ],
      },
      { role: "tool", content: "1", name: "f", tool_call_id: nineCharacters("call_1234567890") },
      message("user", {
        content: [
          { type: "document_url", document_url: "data:application/pdf;base64,JVBERi0=", document_name: "a.pdf" },
          { type: "document_url", document_url: "data:application/pdf;base64,JVBERi0=" },
          { type: "file", file_id: "00edaf84" },
          { type: "text", text: "x" },
        ],
      }),
    ],
  },
};
const SCHEMA = { type: "json_schema", json_schema: { name: "s", schema: { type: "object" } } };
const TOLD = {
  role: "system",
  content: 'Answer with JSON that fits this JSON schema, and with nothing else:\n{"type":"object"}',
};
const TOOLS = ["f", "g"].map((name) => ({ type: "function", function: { name } }));
const ASKED = { role: "system", content: "Answer by calling one of the tools. Do not answer in text." };
const AS_IT_CAME: Example = {
  given: { ...LIMIT, max_tokens: 6, messages: [DEVELOPER, MARKED, USER, NOTED] },
  sent: { ...LIMIT, max_tokens: 6, messages: [DEVELOPER, MARKED, USER, NOTED] },
};

const EXAMPLES: Readonly<Record<string, Example>> = {
  mistral: MISTRAL,
  codestral: MISTRAL,
  deepseek: {
    given: { response_format: SCHEMA, messages: [DEVELOPER, PARTS, THOUGHT] },
    sent: { response_format: { type: "json_object" }, messages: [TOLD, SYSTEM, JOINED, KEPT] },
  },
  xai: { given: { messages: [USER, message("assistant", { name: "n" })] }, sent: { messages: [USER, PLAIN] } },
  zai: {
    given: { response_format: SCHEMA, tool_choice: "required", tools: TOOLS, messages: [THOUGHT] },
    sent: { response_format: { type: "json_object" }, tool_choice: "auto", messages: [TOLD, KEPT, ASKED] },
  },
  moonshot: {
    given: { temperature: 1.7, tool_choice: "required", tools: TOOLS, messages: [PARTS, THOUGHT] },
    sent: { temperature: 1, tool_choice: "auto", messages: [JOINED, KEPT, ASKED] },
  },
  dashscope: { given: { messages: [MARKED, THOUGHT] }, sent: { messages: [MARKED, KEPT] } },
  volcengine: { given: { ...LIMIT, messages: [THOUGHT] }, sent: { ...NEWER_LIMIT, messages: [KEPT] } },
  minimax: {
    given: { temperature: 0, top_p: 2, messages: [MARKED] },
    sent: { temperature: 0.01, top_p: 1, messages: [MARKED] },
  },
  perplexity: { given: { stream: true }, sent: { stream_options: null } },
  ai21: { given: { stream: true, messages: [PARTS] }, sent: { stream_options: null, messages: [JOINED] } },
  ai21_chat: { given: { stream: true, messages: [PARTS] }, sent: { stream_options: null, messages: [JOINED] } },
  meta_llama: { given: BOTH_LIMITS, sent: NEWER_LIMIT },
  xiaomi_mimo: { given: { messages: [THOUGHT] }, sent: { messages: [KEPT] } },
  v0: { given: BOTH_LIMITS, sent: NEWER_LIMIT },
  voyage: {
    operation: "embedding",
    given: { input: "x", dimensions: 3, encoding_format: "float" },
    sent: { output_dimension: 3, dimensions: null, encoding_format: null },
  },
  jina_ai: {
    operation: "embedding",
    given: { input: "x", encoding_format: "base64" },
    sent: { embedding_type: "base64", encoding_format: null },
  },
  groq: {
    given: { ...BOTH_LIMITS, messages: [USER] },
    sent: { ...NEWER_LIMIT, messages: [message("user")] },
    renameDelta: REASONING,
  },
  fireworks_ai: {
    given: { tool_choice: "required", messages: [THOUGHT] },
    sent: { model: "accounts/fireworks/models/a-model", tool_choice: "any", messages: [KEPT] },
  },
  together_ai: { given: LIMIT, sent: OLDER_LIMIT, renameDelta: REASONING },
  cerebras: { given: BOTH_LIMITS, sent: NEWER_LIMIT, renameDelta: REASONING },
  novita: { given: LIMIT, sent: OLDER_LIMIT, headers: { "X-Novita-Source": "turnpike" } },
  databricks: { given: { messages: [MARKED, USER] }, sent: { messages: [MARKED, message("user")] } },
  snowflake: { given: BOTH_LIMITS, sent: NEWER_LIMIT },
  bedrock_mantle: { given: BOTH_LIMITS, sent: NEWER_LIMIT, renameDelta: REASONING },
  publicai: { given: { messages: [PARTS] }, sent: { messages: [JOINED] } },
  openrouter: {
    given: { ...LIMIT, messages: [MARKED, THOUGHT] },
    sent: {
      ...NEWER_LIMIT,
      messages: [MARKED, message("assistant", { reasoning: "hm" })],
    },
    headers: { "HTTP-Referer": "https://acme.example", "X-Title": "Turnpike" },
    renameDelta: REASONING,
  },
  vercel_ai_gateway: {
    given: { messages: [MARKED], providerOptions: { gateway: { models: ["another"], only: ["a"] } } },
    sent: { messages: [MARKED], providerOptions: { gateway: { only: ["a"] } } },
    renameDelta: REASONING,
  },
  cometapi: { given: LIMIT, sent: NEWER_LIMIT },
  helicone: { given: { ...LIMIT, messages: [MARKED] }, sent: { ...NEWER_LIMIT, messages: [MARKED] } },
  veniceai: { given: LIMIT, sent: NEWER_LIMIT },
  "nano-gpt": { given: { messages: [MARKED] }, sent: { messages: [MARKED] }, renameDelta: REASONING },
  aihubmix: { given: { ...LIMIT, messages: [MARKED] }, sent: { ...NEWER_LIMIT, messages: [MARKED] } },
  hosted_vllm: { given: { messages: [THOUGHT] }, sent: { messages: [KEPT] }, renameDelta: REASONING },
  lm_studio: { given: LIMIT, sent: OLDER_LIMIT, renameDelta: REASONING },
  litellm_proxy: {
    given: { ...LIMIT, messages: [DEVELOPER, MARKED, THOUGHT] },
    sent: { ...LIMIT, messages: [DEVELOPER, MARKED, THOUGHT] },
  },
  openai_like: AS_IT_CAME,
  custom_openai: AS_IT_CAME,
};

/** For quirks that show in a second operation only. */
const FURTHER: Readonly<Record<string, Example>> = {
  mistral: {
    operation: "embedding",
    given: { input: "x", dimensions: 3 },
    sent: { output_dimension: 3, dimensions: null },
  },
  voyage: {
    operation: "rerank",
    given: { query: "x", documents: ["y"], top_n: 1 },
    sent: { top_k: 1, top_n: null },
  },
};
const ALL_EXAMPLES = [...Object.entries(EXAMPLES), ...Object.entries(FURTHER)];

const VARIABLES = { OR_SITE_URL: "https://acme.example", SNOWFLAKE_ACCOUNT_ID: "acme" };

const rowOf = (id: string): Row => {
  const row = ROWS.find((one) => one.id === id);
  if (!row) throw new Error(`no row ${id}`);
  return row;
};

function encode(row: Row, { operation = "chat", model = "a-model", given }: Example) {
  const provider = buildRow(row);
  const dialect = provider[operation] as Dialect<object, never> | undefined;
  if (!dialect) throw new Error(`${row.id} has no ${operation}`);
  const apiBase = row.base === undefined ? "https://own.example/v1" : null;
  const target = targetOf(row.id, { upstreamModel: model, apiBase, variables: VARIABLES });
  return { provider, request: dialect.encode({ model: "g", ...given }, target) };
}

/** All by which a caller or the upstream could tell two rows apart. */
function shown(row: Row, example: Example) {
  const { provider, request } = encode(row, example);
  const { chat, embedding } = provider;
  const reads = [chat?.decode, chat?.stream, embedding?.decode].map((decoder) => decoder !== undefined);
  return { url: request.url, headers: request.headers, body: jsonOf(request), relay: chat?.relay, reads };
}

/** Every quirk of a row by name, and the row without it: a name, a value or a rule each counts as one. */
function withoutEach({ quirks = {}, ...row }: Row): [quirk: string, without: Row][] {
  return Object.entries(quirks).flatMap(([name, quirk]): [string, Row][] => {
    const { [name as keyof Quirks]: _, ...others } = quirks;
    if (!isRecord(quirk)) return [[name, { ...row, quirks: others }]];
    return Object.keys(quirk).map((key) => {
      const { [key]: __, ...rest } = quirk;
      return [`${name}.${key}`, { ...row, quirks: { ...others, [name]: rest } }];
    });
  });
}

test("every row with quirks has an example of them", () => {
  const quirky = ROWS.filter(({ quirks }) => quirks !== undefined).map(({ id }) => id as string);
  expect(Object.keys(EXAMPLES).sort()).toEqual(quirky.sort());
});

test.each(ROWS.flatMap((row) => withoutEach(row).map(([quirk, without]) => [row.id, quirk, row, without] as const)))(
  "an example of %s shows its quirk %s",
  (id, _, row, without) => {
    const examples = ALL_EXAMPLES.filter(([name]) => name === id).map(([, example]) => example);
    const isShown = examples.some((example) => !Bun.deepEquals(shown(row, example), shown(without, example)));
    expect(isShown).toBe(true);
  },
);

test.each(ALL_EXAMPLES)("%s gets what it takes", (id, example) => {
  const { provider, request } = encode(rowOf(id), example);
  const body = jsonOf(request);
  for (const [name, value] of Object.entries(example.sent)) {
    if (value === null) expect(body).not.toHaveProperty(name);
    else expect(body[name]).toEqual(value);
  }
  expect(request.headers).toMatchObject(example.headers ?? {});
  expect(provider.chat?.relay?.renameDelta).toEqual(example.renameDelta as Record<string, string> | undefined);
});

test("names of a row's own add to the older name of the limit, unless the row keeps that as it is", () => {
  const given = { ...LIMIT, seed: 7 };
  const sent = (rename: NonNullable<Quirks["rename"]>) =>
    jsonOf(encode({ ...rowOf("hyperbolic"), quirks: { rename } }, { given, sent: {} }).request);
  expect(sent({ seed: "random_seed" })).toEqual({ model: "a-model", max_tokens: 5, random_seed: 7 });
  expect(sent({ max_completion_tokens: null })).toEqual({ model: "a-model", max_completion_tokens: 5, seed: 7 });
});

test("a tool that cannot be forced on a model is asked for and is the only one; any other choice stays as it is", () => {
  const sent = (given: object) => jsonOf(encode(rowOf("moonshot"), { given, sent: {} }).request);
  const tool_choice = { type: "function", function: { name: "g" } };
  expect(sent({ messages: [PLAIN], tools: TOOLS, tool_choice })).toEqual({
    model: "a-model",
    messages: [PLAIN, { role: "system", content: "Answer by calling the tool g. Do not answer in text." }],
    tools: [TOOLS[1]],
    tool_choice: "auto",
  });
  for (const untouched of [
    { messages: [PLAIN], tools: TOOLS, tool_choice: "none" },
    { messages: [PLAIN], tool_choice: "required" },
    {
      messages: [PLAIN],
      tools: TOOLS,
      tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: TOOLS } },
    },
  ])
    expect(sent(untouched)).toEqual({ model: "a-model", ...untouched });
});

describe("a row without quirks", () => {
  test("gets the older name of the limit, no developer, no marks and nothing of our answers", () => {
    const given = { ...LIMIT, messages: [DEVELOPER, MARKED, THOUGHT], stream: true };
    expect(jsonOf(encode(rowOf("hyperbolic"), { given, sent: {} }).request)).toEqual({
      model: "a-model",
      messages: [SYSTEM, message("user", { content: [{ type: "text", text: "x" }] }), PLAIN],
      max_tokens: 5,
      stream: true,
      stream_options: { include_usage: true },
    });
  });
});

test("an id of nine letters and digits stays; any other becomes one", () => {
  expect(nineCharacters("abcDEF123")).toBe("abcDEF123");
  fc.assert(
    fc.property(fc.string(), (id) => {
      expect(nineCharacters(id)).toMatch(/^[a-zA-Z0-9]{9}$/);
    }),
  );
});

describe("models of their own kind", () => {
  const params = (id: string, model: string) =>
    openAiLike.find((one) => one.id === id)?.supportedParams("chat", model) ?? [];

  test("a Fireworks model with a path of its own keeps it", () => {
    const model = "accounts/acme/models/mine";
    expect(jsonOf(encode(rowOf("fireworks_ai"), { model, given: {}, sent: {} }).request).model).toBe(model);
  });

  test("Grok's reasoning models take no penalties, Kimi's newer ones no sampling, DeepSeek's reasoner no logprobs", () => {
    expect(params("xai", "grok-4-0709")).not.toContain("presence_penalty");
    expect(params("xai", "grok-4-fast-non-reasoning")).toContain("presence_penalty");
    expect(params("xai", "grok-3-mini")).toContain("reasoning_effort");
    expect(params("moonshot", "kimi-k2.6")).not.toContain("temperature");
    expect(params("moonshot", "moonshot-v1-8k")).toContain("temperature");
    expect(params("deepseek", "deepseek-reasoner")).not.toContain("logprobs");
  });
});
