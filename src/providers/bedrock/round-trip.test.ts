import { afterAll, describe, expect, test } from "bun:test";
import { fakeBedrock } from "../../../test/upstreams/bedrock.ts";
import { FAKE_AWS } from "../../../test/upstreams/bedrock-auth.ts";
import { joinChunks } from "../../../test/upstreams/join-chunks.ts";
import type { Reply, Seen } from "../../../test/upstreams/script.ts";
import type { ChatAnswer, ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { AwsEventStreamSplitter } from "../aws-event-stream.ts";
import { signAws } from "../aws-sign.ts";
import type { Target, UpstreamRequest } from "../dialect.ts";
import { bedrock } from "./provider.ts";

/** The real way over a socket: encode, sign, send, split, decode. */
let script: (seen: Seen) => Reply = () => ({ text: "Hi" });
const server = Bun.serve({ port: 0, fetch: fakeBedrock({ reply: (seen) => script(seen) }) });
afterAll(() => server.stop(true));

const signed = { aws_access_key_id: FAKE_AWS.accessKeyId, aws_secret_access_key: FAKE_AWS.secretAccessKey };
const target = (changes: Partial<Target> = {}): Target => ({
  provider: "bedrock",
  upstreamModel: "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
  apiBase: `http://127.0.0.1:${server.port}`,
  apiKey: null,
  apiVersion: null,
  params: { ...signed, aws_region_name: FAKE_AWS.region },
  env: () => undefined,
  ...changes,
});
const facts = { id: "chatcmpl-1", createdSeconds: 1, model: "chat" };

async function send({ url, headers, body, sign }: UpstreamRequest): Promise<Response> {
  if (typeof body !== "string") throw new Error("the body is text");
  const request = { method: "POST", url, headers, body };
  const sent = sign?.kind === "aws" ? await signAws(request, sign, new Date()) : headers;
  const response = await fetch(url, { method: "POST", headers: sent, body });
  if (response.ok) return response;
  const failure = { status: response.status, headers: response.headers, body: await response.text() };
  const { kind, message } = bedrock.classify(failure);
  throw new GatewayError(kind, message);
}

async function chat(fields: Partial<ChatRequest>, to = target()): Promise<ChatAnswer> {
  const request: ChatRequest = { model: "chat", messages: [{ role: "user", content: "Hello" }], ...fields };
  const dialect = bedrock.chat;
  if (!dialect?.decode || !dialect.stream) throw new Error("no dialect");
  const response = await send(dialect.encode(request, to));
  if (request.stream !== true) return dialect.decode(await response.json(), request, facts);
  const splitter = new AwsEventStreamSplitter();
  const decoder = dialect.stream.decoder(request, facts);
  const events = splitter.push(new Uint8Array(await response.arrayBuffer()));
  const chunks = events.flatMap((event) => decoder.push(event));
  splitter.end();
  return joinChunks([...chunks, ...decoder.end()]);
}

const weather = { type: "function", function: { name: "get_weather", parameters: { type: "object" } } };

describe.each([[false], [true]])("over the wire, streamed: %p", (stream) => {
  test("a conversation with tools, pictures and reasoning arrives whole", async () => {
    let seen: Seen | null = null;
    script = (given) => {
      seen = given;
      return {
        reasoning: "Let me see.",
        text: "Two calls: 🚀",
        toolCalls: [
          { name: "get_weather", arguments: { city: "Paris" } },
          { name: "get_weather", arguments: {} },
        ],
        usage: { input: 5, output: 7, cacheRead: 11, cacheWrite: 13 },
      };
    };
    const answer = await chat({
      stream,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }] },
        {
          role: "assistant",
          tool_calls: [{ id: "a", type: "function", function: { name: "get_weather", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "a", content: "Sunny" },
        { role: "user", content: "More" },
      ],
      tools: [weather],
    });
    expect(seen).toMatchObject({
      model: "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
      userText: "More",
      systemText: "Be brief.",
      tools: ["get_weather"],
      toolResults: ["Sunny"],
      images: 1,
      stream,
    });
    expect(answer.choices[0]).toMatchObject({
      message: {
        content: "Two calls: 🚀",
        reasoning_content: "Let me see.",
        thinking_blocks: [{ type: "thinking", thinking: "Let me see.", signature: "c2lnbmVk" }],
        tool_calls: [
          { id: "tooluse_0", function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
          { id: "tooluse_1", function: { name: "get_weather", arguments: "{}" } },
        ],
      },
      finish_reason: "tool_calls",
    });
    expect(answer.usage).toMatchObject({ prompt_tokens: 29, completion_tokens: 7, total_tokens: 36 });
  });

  test("an answer in JSON is what the script says", async () => {
    script = () => ({ text: '{"year":1815}' });
    const schema = { type: "object", properties: { year: { type: "integer" } } };
    const answer = await chat({ stream, response_format: { type: "json_schema", json_schema: { name: "y", schema } } });
    expect(answer.choices[0]).toMatchObject({ message: { content: '{"year":1815}' }, finish_reason: "stop" });
  });

  test("a history of calls without tools is taken", async () => {
    script = ({ tools }) => ({ text: `${tools.length} tools` });
    const answer = await chat({
      stream,
      messages: [
        { role: "user", content: "a" },
        {
          role: "assistant",
          tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "" } }],
        },
        { role: "tool", tool_call_id: "a", content: "" },
      ],
    });
    expect(answer.choices[0]?.message.content).toBe("0 tools");
  });

  test.each<[NonNullable<Reply["failure"]>, string]>([
    ["bad_request", "invalid_request"],
    ["context_window", "context_window"],
    ["content_policy", "content_policy"],
    ["auth", "upstream_authentication"],
    ["not_found", "model_not_found"],
    ["rate_limit", "rate_limit"],
    ["overloaded", "upstream_unavailable"],
    ["server_error", "upstream"],
  ])("the failure %s is %s", async (failure, kind) => {
    script = () => ({ failure });
    await expect(chat({ stream })).rejects.toMatchObject({ kind });
  });
});

describe("a stream over the wire", () => {
  test("that is cut, at any place, broke off", async () => {
    for (let cutAfter = 0; cutAfter < 4; cutAfter++) {
      script = () => ({ text: "Hello, this is long", cutAfter });
      await expect(chat({ stream: true })).rejects.toMatchObject({ kind: "upstream" });
    }
  });

  test("with an error in it fails with it", async () => {
    script = () => ({ text: "Hello", errorAfter: 2 });
    await expect(chat({ stream: true })).rejects.toMatchObject({
      kind: "upstream",
      message: "Amazon Bedrock: The system failed.",
    });
  });
});

describe("the credential", () => {
  const arn = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0";

  test.each([
    ["a bearer key", { apiKey: "bedrock-key", params: {} }],
    ["a session", { params: { ...signed, aws_session_token: FAKE_AWS.sessionToken, aws_region_name: "us-east-1" } }],
    ["an ARN for a model", { upstreamModel: arn, params: signed }],
  ])("with %s is accepted", async (_, changes) => {
    script = ({ model }) => ({ text: model });
    const to = target(changes);
    expect((await chat({}, to)).choices[0]?.message.content).toBe(to.upstreamModel);
  });

  test.each([
    ["another secret", { ...signed, aws_secret_access_key: "wrong", aws_region_name: "us-east-1" }],
    ["another key", { ...signed, aws_access_key_id: "AKIDOTHER", aws_region_name: "us-east-1" }],
    ["another region", { ...signed, aws_region_name: "us-west-2" }],
    ["another session", { ...signed, aws_session_token: "old", aws_region_name: "us-east-1" }],
  ])("with %s is refused", async (_, params) => {
    script = () => ({ text: "Hi" });
    await expect(chat({}, target({ params }))).rejects.toMatchObject({ kind: "upstream_authentication" });
  });
});

test.each([
  ["amazon.titan-embed-text-v2:0", ["four"], [[0, 4, 1]]],
  [
    "cohere.embed-english-v3",
    ["a", "bcd"],
    [
      [0, 1, 1],
      [1, 3, 1],
    ],
  ],
])("embeddings of %s come back in order", async (upstreamModel, input, expected) => {
  const dialect = bedrock.embedding;
  if (!dialect?.decode) throw new Error("no dialect");
  const request = { model: "vectors", input };
  const response = await send(dialect.encode(request, target({ upstreamModel })));
  const { data } = dialect.decode(await response.json(), request, facts);
  expect(data.map(({ embedding }) => embedding) as number[][]).toEqual(expected);
});
