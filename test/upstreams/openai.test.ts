import { describe, expect, test } from "bun:test";
import OpenAI, { AzureOpenAI } from "openai";
import type { ChatRequest } from "../../src/contract/chat.ts";
import type { Provider, Target, UpstreamRequest } from "../../src/providers/dialect.ts";
import { findProvider } from "../../src/providers/registry.ts";
import { fakeAzure } from "./azure.ts";
import { fakeOpenAi } from "./openai.ts";
import type { Reply, Script, Seen } from "./script.ts";

type Fake = (script: Script) => (request: Request) => Promise<Response>;

const FAKES: readonly [string, Fake, Partial<Target>][] = [
  ["openai", fakeOpenAi, { apiBase: "http://upstream/v1" }],
  ["azure", fakeAzure, { apiBase: "http://upstream" }],
  ["azure", fakeAzure, { apiBase: "http://upstream", apiVersion: "preview" }],
  ["groq", (script) => fakeOpenAi(script, { reasoningField: "reasoning" }), { apiBase: "http://upstream/v1" }],
];

const RICH = {
  model: "group",
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What?", cache_control: { type: "ephemeral" } },
        { type: "image_url", image_url: "data:image/png;base64,AAAA" },
      ],
    },
    {
      role: "assistant",
      content: null,
      reasoning_content: "hm",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "look", arguments: '{"at":"it"}' } },
        { id: "c2", type: "function", function: { name: "look", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "a cat" },
    { role: "tool", tool_call_id: "c2", content: "a dog" },
    { role: "user", content: "And?", name: "me" },
  ],
  tools: [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }],
  max_tokens: 100,
  metadata: { tags: ["x"] },
  stop: null,
} as ChatRequest;

describe.each(FAKES)("the fake of %s", (id, fake, change) => {
  const provider = findProvider(id) as Provider;
  const target: Target = {
    provider: id,
    upstreamModel: "some-model",
    apiBase: null,
    apiKey: "key-1",
    apiVersion: null,
    params: {},
    env: () => undefined,
    ...change,
  };
  let seen: Seen | null = null;
  const post = (reply: Reply, request: UpstreamRequest | undefined): Promise<Response> => {
    if (!request) throw new Error("no such operation");
    const look = (what: Seen): Reply => {
      seen = what;
      return reply;
    };
    const { url, headers, body } = request;
    return fake({ reply: look })(new Request(url, { method: "POST", headers, body }));
  };

  test("takes what the dialect sends and sees what the model would see", async () => {
    const response = await post({ text: "Yes." }, provider.chat?.encode(RICH, target));
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: "Yes." }, finish_reason: "stop" }] });
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

  test("ends a stream with its usage", async () => {
    const reply = { text: "A cat.", usage: { input: 5, output: 3, cacheRead: 2 } };
    const text = await (await post(reply, provider.chat?.encode({ ...RICH, stream: true }, target))).text();
    const events = text.trim().split("\n\n");
    expect(events.at(-1)).toBe("data: [DONE]");
    expect(JSON.parse(events.at(-2)?.slice(6) ?? "")).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } },
    });
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
    const { status, headers, ...response } = await read(await post({ failure }, provider.chat?.encode(RICH, target)));
    expect(provider.classify({ status, headers, body: response.body }).kind).toBe(kind);
    expect(headers.has("retry-after")).toBe(failure === "rate_limit");
  });

  test("breaks off and fails in the middle of a stream when the script says so", async () => {
    const stream = async (reply: Reply) =>
      (
        await post({ text: "A long answer.", ...reply }, provider.chat?.encode({ ...RICH, stream: true }, target))
      ).text();
    expect((await stream({ cutAfter: 2 })).match(/^data: /gm)).toHaveLength(2);
    const failed = await stream({ errorAfter: 2 });
    expect(failed.match(/^data: /gm)).toHaveLength(3);
    expect(failed).toContain('data: {"error":');
    expect(failed).not.toContain("[DONE]");
  });

  test("refuses a wrong key", async () => {
    expect((await post({}, provider.chat?.encode(RICH, { ...target, apiKey: "sk-wrong" }))).status).toBe(401);
  });
});

async function read(response: Response): Promise<{ status: number; headers: Headers; body: string }> {
  return { status: response.status, headers: response.headers, body: await response.text() };
}

describe("the official client", () => {
  const scripted = (reply: Reply) => ({ reply: () => reply });
  const clientOf = (reply: Reply) =>
    new OpenAI({
      apiKey: "k",
      baseURL: "http://upstream/v1",
      maxRetries: 0,
      fetch: viaFake(fakeOpenAi(scripted(reply))),
    });
  const azureOf = (reply: Reply) =>
    new AzureOpenAI({
      apiKey: "k",
      endpoint: "http://upstream",
      apiVersion: "2024-10-21",
      maxRetries: 0,
      fetch: viaFake(fakeAzure(scripted(reply))),
    });
  const viaFake =
    (fake: (request: Request) => Promise<Response>) => (url: string | URL | Request, init?: RequestInit) =>
      fake(new Request(url as string, init));
  const call = { name: "look", arguments: { at: "é" } };

  test.each([
    ["OpenAI", clientOf],
    ["Azure", azureOf],
  ] as const)("of %s reads the same streamed and plain", async (_, make) => {
    for (const reply of [
      { text: "A cat and a dog." },
      { toolCalls: [call, call] },
      { text: "A c", finish: "length" },
    ]) {
      const client = make(reply as Reply);
      const messages = [{ role: "user" as const, content: "What?" }];
      const tools = [{ type: "function" as const, function: { name: "look", parameters: {} } }];
      const plain = await client.chat.completions.create({ model: "m", messages, tools });
      const streamed = await client.chat.completions.stream({ model: "m", messages, tools }).finalChatCompletion();
      const bare = (choice: unknown) =>
        JSON.parse(
          JSON.stringify(choice, (name, value) =>
            ["id", "refusal", "parsed", "parsed_arguments"].includes(name) ? undefined : value,
          ),
        );
      expect(bare(streamed.choices[0])).toEqual(bare(plain.choices[0]));
    }
  });

  test("reads every other operation", async () => {
    const client = clientOf({ text: "Hi." });
    expect((await client.completions.create({ model: "m", prompt: "p" })).choices[0]?.text).toBe("Hi.");
    const { data } = await client.embeddings.create({ model: "m", input: ["a", "bcd"] });
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [0, 1, 1],
      [1, 3, 1],
    ]);
    expect((await client.moderations.create({ input: "kill", model: "m" })).results[0]?.flagged).toBe(true);
    expect((await client.images.generate({ model: "dall-e-3", prompt: "p" })).data).toHaveLength(1);
    expect(await (await client.audio.speech.create({ model: "m", input: "Hi", voice: "alloy" })).text()).toBe(
      "sound:Hi",
    );
    const file = new File(["sound"], "a.mp3");
    expect((await client.audio.transcriptions.create({ model: "m", file })).text).toBe("Hi.");
  });

  test("is refused what OpenAI refuses", async () => {
    const chat = clientOf({}).chat.completions;
    const user = { role: "user" as const, content: "x" };
    const toolCall = { id: "c1", type: "function" as const, function: { name: "f", arguments: "{}" } };
    const refused: readonly [Record<string, unknown>, string][] = [
      [{ messages: [] }, "empty array"],
      [
        { messages: [{ role: "assistant", content: null, tool_calls: [toolCall] }, user] },
        "did not have response messages",
      ],
      [{ messages: [{ role: "tool", tool_call_id: "c1", content: "x" }] }, "must be a response"],
      [{ messages: [{ ...user, reasoning_content: "hm" }] }, "Unknown parameter"],
      [{ messages: [{ ...user, tool_calls: null }] }, "Invalid type"],
      [{ messages: [user], stream_options: {} }, "only allowed when 'stream'"],
      [{ messages: [user], tool_choice: "auto" }, "only allowed when 'tools'"],
      [{ messages: [user], guardrails: ["x"] }, "Unrecognized request argument"],
      [{ messages: [user], response_format: { type: "json_object" } }, "the word 'json'"],
      [{ messages: [user], model: "o3", max_tokens: 5 }, "Unsupported parameter"],
    ];
    for (const [request, message] of refused) {
      const asked = async () => await chat.create({ model: "m", ...request } as never);
      await expect(asked()).rejects.toThrow(message);
    }
  });
});
