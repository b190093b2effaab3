// Models that are called through OpenAI's Responses, through the interfaces that callers use.

import { beforeEach, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import { MASTER_KEY } from "../app.ts";
import { clientOf, refusal } from "../assistants/clients.ts";
import { startBooked } from "../metering/booked-app.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";
import type { Reply, Seen } from "../upstreams/script.ts";

let reply: (seen: Seen) => Reply;
let seen: Readonly<Record<string, unknown>>[] = [];
let paths: string[] = [];
const fake = fakeOpenAi({
  reply(given) {
    seen.push(given.body);
    return reply(given);
  },
});
const upstream = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1", development: false, idleTimeout: 0 },
  fetch(request) {
    paths.push(new URL(request.url).pathname);
    return fake(request);
  },
});

const PRICES = {
  input_cost_per_token: "0.000020",
  output_cost_per_token: "0.000080",
  cache_read_input_token_cost: "0.000005",
  input_cost_per_token_flex: "0.000010",
  output_cost_per_token_flex: "0.000040",
  cache_read_input_token_cost_flex: "0.0000025",
};
const entry = (model_name: string, model: string, base = "/v1", more: object = {}, info: object = {}) => ({
  model_name,
  litellm_params: { model, api_base: upstream.url.origin + base, api_key: "k", ...more },
  model_info: { ...PRICES, ...info },
});
const { app, books } = await startBooked(
  {
    model_list: [
      entry("pro", "openai/responses/o3-pro"),
      entry("by-mode", "openai/o3-pro", "/v1", {}, { mode: "responses" }),
      entry("lenient", "openai/responses/o3-pro", "/v1", { drop_params: true }),
      entry("chat", "openai/gpt-4o"),
      entry("broken", "openai/responses/o3-pro", "/missing"),
      entry("broken-chat", "openai/gpt-4o", "/missing"),
      entry("any/*", "openai/responses/*"),
    ],
    router_settings: {
      num_retries: 0,
      disable_cooldowns: true,
      fallbacks: [{ broken: ["chat"] }, { "broken-chat": ["pro"] }],
    },
  },
  upstream,
);
const client = clientOf(app, app.first.demoKey ?? "");
beforeEach(() => {
  reply = () => ({ text: "Hello" });
  [seen, paths] = [[], []];
});

const say = (content: string) => [{ role: "user" as const, content }];
const tools = [{ type: "function" as const, function: { name: "look", parameters: { type: "object" } } }];
const LOOK: Reply = { reasoning: "I look.", toolCalls: [{ name: "look", arguments: {} }] };
const looking = ({ toolResults }: Seen): Reply => (toolResults.length > 0 ? { text: "A cat." } : LOOK);
const inputOf = (body: unknown) => (body as { input: { type: string }[] }).input;
const SEALED = expect.objectContaining({ type: "reasoning", encrypted_content: expect.any(String) });

describe("a chat", () => {
  test.each(["pro", "by-mode", "lenient", "any/o3-pro"])("with %s is a response at the provider", async (model) => {
    const answer = await client.chat.completions.create({ model, messages: say("Hi"), reasoning_effort: "low" });
    expect(answer).toMatchObject({ object: "chat.completion", model, choices: [{ message: { content: "Hello" } }] });
    expect(paths).toEqual(["/v1/responses"]);
    expect(seen[0]).toMatchObject({ model: "o3-pro", store: false, reasoning: { effort: "low" } });
  });

  test("shows what the model thought to who asks for it", async () => {
    reply = () => ({ text: "Hello", reasoning: "Hm." });
    const asked = { model: "pro", messages: say("Hi") };
    const [silent, told] = [
      await client.chat.completions.create(asked),
      await client.chat.completions.create({ ...asked, reasoning_summary: "auto" } as typeof asked),
    ].map(({ choices }) => choices[0]?.message as { reasoning_content?: string } | undefined);
    expect([silent?.reasoning_content, told?.reasoning_content]).toEqual([undefined, "Hm."]);
  });

  test("is charged by what was read, cached, thought and said, in the tier that it was served in", async () => {
    reply = () => ({ text: "Hi", usage: { input: 1000, output: 300, cacheRead: 400, reasoning: 250 } });
    const standard = 600n * 20_000n + 400n * 5_000n + 300n * 80_000n;
    const cases = [
      [{}, standard],
      [{ stream: true }, standard],
      [{ service_tier: "flex" }, standard / 2n],
      [{ service_tier: "flex", stream: true }, standard / 2n],
    ] as const;
    for (const [fields, cost] of cases) {
      const response = await app.call("/v1/chat/completions", {
        key: app.first.demoKey ?? "",
        json: { model: "pro", messages: say("Hi"), ...fields },
      });
      await response.text();
      const record = await books.last();
      expect(record).toMatchObject({ status: "succeeded", cost, providerCost: cost, estimated: false });
      expect(record).toMatchObject({
        promptTokens: 1000,
        cachedTokens: 400,
        completionTokens: 300,
        reasoningTokens: 250,
      });
    }
  });

  test.each([
    ["n", 2],
    ["stop", ["END"]],
    ["seed", 7],
    ["frequency_penalty", 0.5],
    ["presence_penalty", 0.5],
    ["logit_bias", { "50256": -100 }],
    ["temperature", 0.2],
  ])("refuses %s, which it has no place for, or drops it where told to", async (name, value) => {
    const asked = { messages: say("Hi"), [name]: value } as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming;
    const refused = await refusal(client.chat.completions.create({ ...asked, model: "pro" }));
    expect(refused.status).toBe(400);
    expect(refused.message).toContain(`\`${name}\``);
    await client.chat.completions.create({ ...asked, model: "lenient" });
    expect(Object.keys(seen[0] ?? {})).not.toContain(name);
  });

  test.each([false, true])("brings what the model thought back with the next turn (streamed: %p)", async (streamed) => {
    reply = looking;
    const asked = { model: "pro", messages: say("Look!"), tools };
    const first = streamed
      ? await client.chat.completions.stream(asked).finalChatCompletion()
      : await client.chat.completions.create(asked);
    const message = first.choices[0]?.message;
    const [call] = message?.tool_calls ?? [];
    if (!message || !call) throw new Error("no call");
    const result = { role: "tool" as const, tool_call_id: call.id, content: "cat" };
    const messages = [...asked.messages, message, result];
    const second = await client.chat.completions.create({ ...asked, messages });
    expect(second.choices[0]?.message.content).toBe("A cat.");
    expect(inputOf(seen[1]).map(({ type }) => type)).toEqual([
      "message",
      "reasoning",
      "function_call",
      "function_call_output",
    ]);
    expect(inputOf(seen[1])).toContainEqual(SEALED);
    // Another model of another form can go on with the same conversation.
    const other = await client.chat.completions.create({ ...asked, model: "chat", messages });
    expect(other.choices[0]?.message.content).toBe("A cat.");
  });

  test("brings a thought back once, however often its call is told", async () => {
    reply = looking;
    const asked = { model: "pro", messages: say("Look!"), tools };
    const { choices } = await client.chat.completions.create(asked);
    const message = choices[0]?.message as unknown as {
      readonly tool_calls: readonly { readonly id: string }[];
      readonly provider_specific_fields: { readonly reasoning_items: readonly object[] };
    };
    const [thought] = message.provider_specific_fields.reasoning_items;
    const told = {
      ...message,
      tool_calls: Array.from({ length: 30 }, () => message.tool_calls[0]),
      provider_specific_fields: { reasoning_items: Array.from({ length: 1_000 }, () => thought) },
    };
    const result = { role: "tool" as const, tool_call_id: message.tool_calls[0]?.id ?? "", content: "cat" };
    await client.chat.completions.create({ ...asked, messages: [...asked.messages, told as never, result] });
    expect(inputOf(seen[1]).filter(({ type }) => type === "reasoning")).toHaveLength(1_000);
  });

  test("falls back from a response to a chat, and from a chat to a response", async () => {
    for (const [model, path] of [
      ["broken", "/v1/chat/completions"],
      ["broken-chat", "/v1/responses"],
    ] as const) {
      for (const stream of [false, true]) {
        paths = [];
        const response = await app.call("/v1/chat/completions", {
          key: app.first.demoKey ?? "",
          json: { model, messages: say("Hi"), stream },
        });
        expect([response.status, response.headers.get("x-gw-attempted-fallbacks")]).toEqual([200, "1"]);
        await response.text();
        expect(paths.at(-1)).toBe(path);
      }
    }
  });

  test("that breaks off is charged for what was delivered", async () => {
    for (const broken of [{ cutAfter: 2 }, { errorAfter: 2 }]) {
      reply = () => ({ text: "one two three four", ...broken });
      const response = await app.call("/v1/chat/completions", {
        key: app.first.demoKey ?? "",
        json: { model: "pro", messages: say("Hi"), stream: true },
      });
      const text = await response.text();
      expect([response.status, text.includes('"error"'), text.includes("[DONE]")]).toEqual([200, true, false]);
      const record = await books.last();
      expect(record).toMatchObject({ status: "partial", estimated: true });
      expect(record.cost).toBeGreaterThan(0n);
    }
  });
});

describe("a response of ours", () => {
  test("with such a model asks it for the summary that it was asked for", async () => {
    reply = () => ({ text: "Hello", reasoning: "Hm." });
    const asked = { model: "pro", input: "Hi", reasoning: { effort: "high" as const, summary: "auto" as const } };
    const whole = await client.responses.create(asked);
    const streamed = await client.responses.stream(asked).finalResponse();
    for (const { output, output_text } of [whole, streamed]) {
      expect(output_text).toBe("Hello");
      expect(output[0]).toMatchObject({ type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] });
    }
    expect(seen[0]?.reasoning).toEqual({ effort: "high", summary: "auto" });
    await client.responses.create({ model: "chat", input: "Hi", reasoning: { summary: "auto" } });
    expect(paths.at(-1)).toBe("/v1/chat/completions");
  });

  test.each([false, true])("brings what the model thought back (streamed: %p)", async (streamed) => {
    reply = looking;
    const look = { type: "function" as const, name: "look", strict: false, parameters: { type: "object" } };
    const asked = { model: "pro", input: "Look!", tools: [look] };
    const kept = streamed ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked);
    expect(kept.output.map(({ type }) => type)).toEqual(["reasoning", "function_call"]);
    const call = kept.output.find(({ type }) => type === "function_call") as { call_id: string };
    const output = { type: "function_call_output" as const, call_id: call.call_id, output: "cat" };
    const kinds = ["message", "reasoning", "function_call", "function_call_output"];
    const next = await client.responses.create({ ...asked, input: [output], previous_response_id: kept.id });
    expect(next.output_text).toBe("A cat.");
    expect(inputOf(seen.at(-1)).map(({ type }) => type)).toEqual(kinds);
    // The same by a caller that keeps everything itself.
    const all = [{ role: "user" as const, content: "Look!" }, ...kept.output, output] as OpenAI.Responses.ResponseInput;
    await client.responses.create({ ...asked, store: false, input: all });
    expect(inputOf(seen.at(-1)).map(({ type }) => type)).toEqual(kinds);
    expect(inputOf(seen.at(-1))).toContainEqual(SEALED);
  });

  test("has no tools that the provider would carry out itself", async () => {
    const tool = { type: "code_interpreter" as const, container: { type: "auto" as const } };
    const refused = await refusal(client.responses.create({ model: "pro", input: "Hi", tools: [tool] }));
    expect(refused.status).toBe(400);
    expect(seen).toEqual([]);
  });

  test("has the provider's web search, also by a chat's option, and its sources", async () => {
    await client.responses.create({ model: "pro", input: "Hi", tools: [{ type: "web_search" }] });
    const web_search_options = { search_context_size: "low" as const };
    const messages = [{ role: "user" as const, content: "Hi" }];
    await client.chat.completions.create({ model: "pro", messages, web_search_options });
    expect(seen.map(({ tools }) => tools)).toEqual([
      [{ type: "web_search" }],
      [{ type: "web_search", search_context_size: "low" }],
    ]);
  });
});

test("the model is told as what it is, and its check calls it as it is called", async () => {
  const info = await app.call("/v1/model/info", { key: MASTER_KEY });
  const { data } = (await info.json()) as {
    data: { model_name: string; litellm_params: { model: string }; model_info: Record<string, unknown> }[];
  };
  const pro = data.find(({ model_name }) => model_name === "pro");
  expect(pro?.litellm_params.model).toBe("openai/responses/o3-pro");
  expect(pro?.model_info).toMatchObject({ key: "openai/o3-pro", mode: "responses", litellm_provider: "openai" });
  const params = pro?.model_info.supported_openai_params as string[];
  expect([params.includes("reasoning_effort"), params.includes("stop")]).toEqual([true, false]);
  const health = await app.call("/health?model=by-mode", { key: MASTER_KEY });
  expect(await health.json()).toMatchObject({ healthy_count: 1, unhealthy_count: 0 });
  expect(paths).toEqual(["/v1/responses"]);
  expect(seen[0]?.max_output_tokens).toBe(16);
});

test("a model that is kept in the database is called the same way, and stays so when it is changed", async () => {
  const send = (path: string, json: object) => app.call(path, { key: MASTER_KEY, json });
  const { api_base, api_key } = entry("x", "y").litellm_params;
  const made = await send("/model/new", {
    model_name: "stored",
    litellm_params: { model: "openai/responses/o3-pro", api_base, api_key },
    model_info: { id: "stored-id", ...PRICES },
  });
  expect(made.status).toBe(200);
  const changed = await send("/model/update", {
    model_id: "stored-id",
    model_info: { id: "stored-id" },
    litellm_params: { rpm: 50 },
  });
  expect(changed.status).toBe(200);
  await client.chat.completions.create({ model: "stored", messages: say("Hi") });
  expect(paths).toEqual(["/v1/responses"]);
});
