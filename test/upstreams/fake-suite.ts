// What every fake upstream has to do, checked through the dialect that it is the other side of.

import { expect, test } from "bun:test";
import type { ChatAnswer, ChatRequest } from "../../src/contract/chat.ts";
import { NdjsonSplitter, SseSplitter } from "../../src/lib/sse.ts";
import type { Provider, Target, UpstreamRequest } from "../../src/providers/dialect.ts";
import { joinChunks } from "./join-chunks.ts";
import type { Reply, Script, Seen } from "./script.ts";

const facts = { id: "chatcmpl-1", createdSeconds: 1, model: "mine" };

const rich = {
  model: "mine",
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What?" },
        { type: "image_url", image_url: "data:image/png;base64,AAAA" },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "c1", type: "function", function: { name: "look", arguments: '{"at":"it"}' } },
        { id: "c2", type: "function", function: { name: "look", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "a cat" },
    { role: "tool", tool_call_id: "c2", content: "a dog" },
    { role: "user", content: "And?" },
  ],
  tools: [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }],
  max_tokens: 100,
  temperature: 0.5,
  top_p: 1,
  stop: ["END"],
} as ChatRequest;

const REPLIES: readonly Reply[] = [
  { text: "A cat and a dog.", usage: { input: 20, output: 7 } },
  { text: "Two.", reasoning: "One cat, one dog." },
  {
    reasoning: "Look again.",
    toolCalls: [
      { name: "look", arguments: { at: "é" } },
      { name: "look", arguments: {} },
    ],
  },
  { text: "A ca", finish: "length" },
  {},
];

export function checkFake(provider: Provider, fake: (script: Script) => (request: Request) => Promise<Response>): void {
  const { chat, embedding } = provider;
  if (!chat?.decode || !chat.stream || !embedding?.decode) throw new Error("the dialect is not whole");
  const { encode, decode, stream } = chat;
  const target: Target = {
    provider: provider.id,
    upstreamModel: "some-model",
    apiBase: "http://upstream",
    apiKey: "key-1",
    apiVersion: null,
    params: {},
    env: () => undefined,
  };
  let seen: Seen | null = null;

  function post(reply: Reply, { url, headers, body }: UpstreamRequest): Promise<Response> {
    const look = (what: Seen): Reply => {
      seen = what;
      return reply;
    };
    return fake({ reply: look })(new Request(url, { method: "POST", headers, body: String(body) }));
  }

  async function readStream(reply: Reply): Promise<ChatAnswer> {
    const request = { ...rich, stream: true };
    const bytes = await (await post(reply, encode(request, target))).bytes();
    const splitter = stream.framing === "ndjson" ? new NdjsonSplitter() : new SseSplitter();
    const decoder = stream.decoder(request, facts);
    const chunks = [...splitter.push(bytes), ...splitter.end()].flatMap((event) => decoder.push(event));
    return joinChunks([...chunks, ...decoder.end()]);
  }

  test("takes what the dialect sends and sees what the model would see", async () => {
    expect((await post({ text: "Yes." }, encode(rich, target))).status).toBe(200);
    expect(seen).toMatchObject({
      model: "some-model",
      userText: "And?",
      systemText: "Be brief.",
      tools: ["look"],
      toolResults: ["a cat", "a dog"],
      images: 1,
      stream: false,
    });
  });

  test.each(REPLIES.map((reply) => [reply]))("says the same streamed and plain: %o", async (reply) => {
    const plain = decode(await (await post(reply, encode(rich, target))).json(), rich, facts);
    const joined = await readStream(reply);
    expect(withoutIds(joined)).toEqual(withoutIds(plain));
    expect(joined.choices[0]?.message.content ?? "").toBe(reply.text ?? "");
  });

  test("breaks off and fails in the middle of a stream when the script says so", async () => {
    const text = "A long answer.";
    await expect(readStream({ text, cutAfter: 2 })).rejects.toThrow("broke off");
    await expect(readStream({ text, errorAfter: 2 })).rejects.toMatchObject({ kind: "upstream" });
  });

  test.each([
    ["bad_request", "invalid_request"],
    ["context_window", "context_window"],
    ["content_policy", "content_policy"],
    ["auth", "upstream_authentication"],
    ["not_found", "model_not_found"],
    ["rate_limit", "rate_limit"],
    ["overloaded", "upstream_unavailable"],
    ["server_error", "upstream"],
  ] as const)("fails by %s in words that mean %s", async (failure, kind) => {
    const response = await post({ failure }, encode(rich, target));
    const { status, headers } = response;
    expect(provider.classify({ status, headers, body: await response.text() }).kind).toBe(kind);
  });

  test("embeds each text by its place and length", async () => {
    const request = { model: "mine", input: ["a", "bcd"] };
    const response = await post({}, embedding.encode(request, target));
    const answer = embedding.decode?.(await response.json(), request, facts);
    expect(answer?.data.map((one) => one.embedding)).toEqual([
      [0, 1, 1],
      [1, 3, 1],
    ]);
  });
}

/** Ids of answers and calls are new each time. */
const withoutIds = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (name, value: unknown) => (name === "id" ? undefined : value)));
