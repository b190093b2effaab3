import { describe, expect, test } from "bun:test";
import { fakeAnthropic } from "../../../test/upstreams/anthropic.ts";
import type { Reply, Seen } from "../../../test/upstreams/script.ts";
import type { ChatAnswer, ChatChunk } from "../../contract/chat.ts";
import { SseSplitter } from "../../lib/sse.ts";
import { anthropic } from "./provider.ts";
import { chatRequest, FACTS, MODEL, target } from "./test-request.ts";

const { chat } = anthropic;

async function send(fields: Readonly<Record<string, unknown>>, reply: Reply, model = MODEL) {
  const seen: Seen[] = [];
  const upstream = fakeAnthropic({
    reply(given) {
      seen.push(given);
      return reply;
    },
  });
  const request = chatRequest(fields);
  const { url, headers, body } = chat?.encode(request, target({ upstreamModel: model })) ?? {};
  const response = await upstream(
    new Request(url ?? "", { method: "POST", headers: headers ?? {}, body: String(body) }),
  );
  return { request, response, seen: seen[0] };
}

async function answered(fields: Readonly<Record<string, unknown>>, reply: Reply, model = MODEL) {
  const { request, response, seen } = await send(fields, reply, model);
  expect(response.status).toBe(200);
  return { answer: chat?.decode?.(await response.json(), request, FACTS) as ChatAnswer, seen };
}

async function streamedChunks(reply: Reply): Promise<readonly ChatChunk[]> {
  const { request, response } = await send({ stream: true }, reply);
  const splitter = new SseSplitter();
  const decoder = chat?.stream?.decoder(request, FACTS);
  const events = [...splitter.push(new Uint8Array(await response.arrayBuffer())), ...splitter.end()];
  const chunks = events.flatMap((event) => decoder?.push(event) ?? []);
  return [...chunks, ...(decoder?.end() ?? [])];
}

const tools = [{ type: "function", function: { name: "f", parameters: { properties: {} } } }];

describe("a strict upstream", () => {
  test("takes a conversation of every kind and sees what was said", async () => {
    const messages = [
      { role: "developer", content: "Be brief." },
      { role: "assistant", content: "Welcome." },
      { role: "user", content: "" },
      { role: "user", content: [{ type: "image_url", image_url: "data:image/png;base64,AAAA" }] },
      {
        role: "assistant",
        content: "",
        tool_calls: ["a:1", "b"].map((id) => ({ id, type: "function", function: { name: "f", arguments: "{}" } })),
      },
      { role: "tool", tool_call_id: "a:1", content: "one" },
      { role: "tool", tool_call_id: "b", content: "" },
      { role: "user", content: "And now?" },
    ];
    const { answer, seen } = await answered({ messages, tools, temperature: 2, stop: ["\n"] }, { text: "Fine." });
    expect(answer.choices[0]?.message.content).toBe("Fine.");
    expect(seen).toMatchObject({
      userText: "And now?",
      systemText: "Be brief.",
      tools: ["f"],
      toolResults: ["one", ""],
      images: 1,
    });
  });

  test("takes an effort together with a small limit, a temperature and a tool that has to be called", async () => {
    const asked = { reasoning_effort: "high", max_tokens: 50, temperature: 0.3 };
    const { answer } = await answered(asked, { text: "Yes." });
    expect(answer.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Yes." } });
    const toolCalls = [{ name: "f", arguments: {} }];
    const { answer: called } = await answered({ ...asked, tools, tool_choice: "required" }, { toolCalls });
    expect(called.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { tool_calls: [{ function: { name: "f", arguments: "{}" } }] },
    });
  });

  test("gives JSON as content, by whichever way it was asked for", async () => {
    const schema = { type: "object", properties: { a: { type: "number" } } };
    const response_format = { type: "json_schema", json_schema: { schema } };
    for (const model of [MODEL, "claude-sonnet-4-5", "claude-opus-5-5"]) {
      const { answer, seen } = await answered({ response_format }, { text: '{"a":1}' }, model);
      expect(answer.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: '{"a":1}' } });
      expect(seen?.tools).toEqual([]);
    }
  });

  test("counts tokens", async () => {
    const counted = chat?.countTokens?.encode(chatRequest({ max_tokens: 1, tools }), target());
    const upstream = fakeAnthropic({ reply: () => ({}) });
    const { url = "", headers = {}, body } = counted ?? {};
    const response = await upstream(new Request(url, { method: "POST", headers, body: String(body) }));
    expect(chat?.countTokens?.decode(await response.json())).toBeGreaterThan(0);
  });
});

test("usage comes through whole", async () => {
  const usage = { input: 100, output: 50, cacheRead: 60, cacheWrite: 10, reasoning: 20 };
  const { answer } = await answered({}, { text: "a", reasoning: "b", usage });
  expect(answer.usage).toMatchObject({
    prompt_tokens: 100,
    completion_tokens: 50,
    prompt_tokens_details: { cached_tokens: 60, cache_creation_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 20 },
  });
});

test("every failure of the upstream is told by its kind", async () => {
  const kinds = {
    bad_request: "invalid_request",
    context_window: "context_window",
    content_policy: "content_policy",
    auth: "upstream_authentication",
    not_found: "model_not_found",
    rate_limit: "rate_limit",
    overloaded: "upstream_unavailable",
    server_error: "upstream",
  } as const;
  for (const [failure, kind] of Object.entries(kinds)) {
    const { response } = await send({}, { failure: failure as keyof typeof kinds });
    const { status, headers } = response;
    expect(anthropic.classify({ status, headers, body: await response.text() }).kind).toBe(kind);
  }
});

test("a stream that is cut or fails half way is an error", async () => {
  await expect(streamedChunks({ text: "Hello there", cutAfter: 4 })).rejects.toThrow("broke off");
  await expect(streamedChunks({ text: "Hello there", errorAfter: 4 })).rejects.toThrow("Overloaded");
  expect((await streamedChunks({ text: "Hello there" })).length).toBeGreaterThan(3);
});
