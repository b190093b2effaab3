import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { always, tripped } from "../../../test/upstreams/hostile.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Target } from "../dialect.ts";
import { accumulate, bodyOf, chat, eventsOf, facts, fixture, fixtureText, run, target } from "../gemini/test-gemini.ts";
import { vertexAi } from "./provider.ts";

const credentials = { type: "service_account", project_id: "from-key", client_email: "robot@x" };
const vertex = (change: Partial<Target> = {}, params: Readonly<Record<string, unknown>> = {}): Target =>
  target({
    provider: "vertex_ai",
    apiKey: null,
    params: { vertex_project: "p1", vertex_location: "europe-west4", vertex_credentials: credentials, ...params },
    ...change,
  });
const send = (to: Target = vertex(), fields: Readonly<Record<string, unknown>> = {}) => {
  if (!vertexAi.chat) throw new Error("no chat");
  return vertexAi.chat.encode(chat(fields), to);
};
const decode = (body: unknown) => {
  if (!vertexAi.chat?.decode) throw new Error("no decoder");
  return vertexAi.chat.decode(body, chat(), facts);
};
const decoder = () => {
  if (!vertexAi.chat?.stream) throw new Error("no stream");
  return vertexAi.chat.stream.decoder(chat(), facts);
};
const embedding = () => {
  if (!vertexAi.embedding?.decode) throw new Error("no embedding");
  return { encode: vertexAi.embedding.encode, decode: vertexAi.embedding.decode };
};

describe("the address", () => {
  const path = (location: string) => `/v1/projects/p1/locations/${location}/publishers/google/models/gemini-2.5-flash`;

  test.each([
    ["europe-west4", "https://europe-west4-aiplatform.googleapis.com"],
    ["global", "https://aiplatform.googleapis.com"],
    ["eu", "https://aiplatform.eu.rep.googleapis.com"],
  ])("of the location %s", (location, host) => {
    const { url } = send(vertex({}, { vertex_location: location }));
    expect(url).toBe(`${host}${path(location)}:generateContent`);
  });

  test("has the project of a key file that is named by its path", () => {
    const folder = mkdtempSync(join(tmpdir(), "turnpike-key-"));
    const path = join(folder, "key.json");
    writeFileSync(path, JSON.stringify({ ...credentials, project_id: "of-the-file" }));
    const params = { vertex_credentials: path, vertex_project: undefined, vertex_location: "global" };
    expect(send(vertex({ params })).url).toContain("/projects/of-the-file/");
    rmSync(folder, { recursive: true });
    const missing = { vertex_credentials: join(folder, "missing.json") };
    expect(() => send(vertex({ params: missing }))).toThrow("neither JSON nor the path of a file");
  });

  test("of a stream asks for server-sent events", () => {
    expect(send(vertex(), { stream: true }).url).toEndWith(`${path("europe-west4")}:streamGenerateContent?alt=sse`);
  });

  test("may be another base, with or without a version", () => {
    expect(send(vertex({ apiBase: "http://proxy.test/" })).url).toStartWith("http://proxy.test/v1/projects/p1/");
    expect(send(vertex({ apiBase: "http://proxy.test/v1beta1" })).url).toStartWith(
      "http://proxy.test/v1beta1/projects/",
    );
  });

  test("of a tuned model is its endpoint", () => {
    expect(send(vertex({ upstreamModel: "4711" })).url).toEndWith(
      "/locations/europe-west4/endpoints/4711:generateContent",
    );
  });

  test("comes from the environment and the key where the deployment says nothing", () => {
    const values: Record<string, string> = {
      VERTEXAI_LOCATION: "asia-east1",
      VERTEXAI_CREDENTIALS: JSON.stringify(credentials),
    };
    const to = vertex({ params: {}, env: (name) => values[name] });
    expect(send(to).url).toStartWith(
      "https://asia-east1-aiplatform.googleapis.com/v1/projects/from-key/locations/asia-east1/",
    );
    expect(send(vertex({ params: { vertex_credentials: credentials } })).url).toContain("/locations/us-central1/");
  });

  test("cannot be bent to another host by a location", () => {
    for (const location of ["evil.test/", "a@b", "x.y", "A"]) {
      expect(() => send(vertex({}, { vertex_location: location }))).toThrow(GatewayError);
    }
  });
});

describe("the credentials", () => {
  test("are handed on for signing, as text", () => {
    const signed = send();
    expect(signed.sign).toEqual({ kind: "google", credentials: JSON.stringify(credentials) });
    expect(JSON.stringify(signed.headers)).not.toContain("robot");
    const asText = vertex({}, { vertex_credentials: ' {"type":"authorized_user"}' });
    expect(send(asText).sign).toEqual({ kind: "google", credentials: ' {"type":"authorized_user"}' });
  });

  test("may be a key, which needs no project", () => {
    const { url, headers, sign } = send(vertex({ apiKey: "k", params: {} }));
    expect(url).toBe("https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-flash:generateContent");
    expect(headers["x-goog-api-key"]).toBe("k");
    expect(sign).toBeUndefined();
  });

  test("that are missing or no JSON are the operator's fault", () => {
    expect(() => send(vertex({ params: {} }))).toThrow("VERTEXAI_CREDENTIALS");
    expect(() => send(vertex({}, { vertex_credentials: "/etc/key.json" }))).toThrow(
      "neither JSON nor the path of a file",
    );
    const noProject = vertex({ params: { vertex_credentials: { type: "authorized_user" } } });
    expect(() => send(noProject)).toThrow("VERTEXAI_PROJECT");
  });
});

describe("a Gemini model", () => {
  test("is asked as at the Gemini API, without ids of calls", () => {
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c1", content: "1" },
    ];
    expect(
      bodyOf(send(vertex({ upstreamModel: "gemini-3-pro-preview" }), { messages, labels: { team: "a" } })),
    ).toEqual({
      contents: [
        { role: "user", parts: [{ text: "Go" }] },
        {
          role: "model",
          parts: [{ functionCall: { name: "f", args: {} }, thoughtSignature: "skip_thought_signature_validator" }],
        },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "1" } } }] },
      ],
      labels: { team: "a" },
    });
  });

  test.each(["text", "parallel-tools", "reasoning"])("streams %s as it answers plainly", (name) => {
    expect(accumulate(run(decoder(), eventsOf(name)))).toEqual(decode(fixture(name)) as never);
  });

  test("has its tokens counted without the rest of the request", () => {
    const counter = vertexAi.chat?.countTokens;
    const sent = counter?.encode(chat({ temperature: 1 }), vertex());
    expect(sent?.url).toEndWith("/publishers/google/models/gemini-2.5-flash:countTokens");
    expect(sent && bodyOf(sent)).toEqual({ contents: [{ role: "user", parts: [{ text: "Hi" }] }] });
    expect(counter?.decode({ totalTokens: 4, totalBillableCharacters: 9 })).toBe(4);
    for (const odd of [null, [], {}, { totalTokens: "4" }]) expect(() => counter?.decode(odd)).toThrow(GatewayError);
  });
});

describe("a Claude model", () => {
  const claude = vertex({ upstreamModel: "claude-sonnet-4@20250514" });

  test("is asked in Anthropic's form, with the version in the body and the model in the path", () => {
    const sent = send(claude, { max_tokens: 10 });
    expect(sent.url).toEndWith("/publishers/anthropic/models/claude-sonnet-4@20250514:rawPredict");
    expect(sent.sign?.kind).toBe("google");
    expect(bodyOf(sent)).toMatchObject({
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 10,
      messages: [{ role: "user" }],
    });
    expect(bodyOf(sent)).not.toHaveProperty("model");
    const streamed = send(claude, { stream: true });
    expect(streamed.url).toEndWith(":streamRawPredict");
    expect(bodyOf(streamed)).toHaveProperty("stream", true);
  });

  test("answers in OpenAI's form, plainly and as a stream", () => {
    const usage = { input_tokens: 3, output_tokens: 2 };
    const plain = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      usage,
    };
    expect(decode(plain).choices[0]).toMatchObject({ message: { content: "Hello" }, finish_reason: "stop" });
    const events = [
      { type: "message_start", message: { ...plain, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ].map((event) => ({ name: event.type, data: JSON.stringify(event) }));
    expect(accumulate(run(decoder(), events))).toEqual(decode(plain) as never);
  });

  test("has its tokens counted by the counter beside the models", () => {
    const sent = vertexAi.chat?.countTokens?.encode(chat({ temperature: 1 }), claude);
    expect(sent?.url).toEndWith("/publishers/anthropic/models/count-tokens:rawPredict");
    expect(sent && bodyOf(sent)).toMatchObject({ model: "claude-sonnet-4@20250514", messages: [{ role: "user" }] });
    expect(vertexAi.chat?.countTokens?.decode({ input_tokens: 4 })).toBe(4);
  });

  test("honours what Anthropic's models honour", () => {
    expect(vertexAi.supportedParams("chat", "claude-sonnet-4@20250514")).not.toContain("seed");
    expect(vertexAi.supportedParams("chat", "gemini-2.5-pro")).toContain("seed");
  });
});

describe("embeddings", () => {
  const prediction = (values: number[], token_count: number) => ({
    embeddings: { values, statistics: { token_count, truncated: false } },
  });

  test("are predictions for instances", () => {
    const to = vertex({ upstreamModel: "text-embedding-005" });
    const request = { model: "m", input: ["a", "b"], dimensions: 2, task_type: "CLUSTERING", auto_truncate: false };
    const sent = embedding().encode(request as never, to);
    expect(sent.url).toEndWith("/publishers/google/models/text-embedding-005:predict");
    expect(bodyOf(sent)).toEqual({
      instances: [
        { content: "a", task_type: "CLUSTERING" },
        { content: "b", task_type: "CLUSTERING" },
      ],
      parameters: { outputDimensionality: 2, autoTruncate: false },
    });
    const answer = { predictions: [prediction([1, 2], 3), prediction([3, 4], 5)], metadata: {} };
    expect(embedding().decode(answer, request as never, facts)).toEqual({
      object: "list",
      model: "my-model",
      data: [
        { object: "embedding", index: 0, embedding: [1, 2] },
        { object: "embedding", index: 1, embedding: [3, 4] },
      ],
      usage: { prompt_tokens: 8, total_tokens: 8 },
    });
  });

  test("of newer models are of one content", () => {
    const to = vertex({ upstreamModel: "gemini-embedding-2" });
    const sent = embedding().encode({ model: "m", input: "a", dimensions: 2 }, to);
    expect(sent.url).toEndWith("/gemini-embedding-2:embedContent");
    expect(bodyOf(sent)).toEqual({
      content: { role: "user", parts: [{ text: "a" }] },
      embedContentConfig: { outputDimensionality: 2 },
    });
    expect(() => embedding().encode({ model: "m", input: ["a", "b"] }, to)).toThrow("one text per request");
    const answer = { embedding: { values: [1] }, usageMetadata: { promptTokenCount: 2 } };
    expect(embedding().decode(answer, { model: "m", input: "a" }, facts).usage.prompt_tokens).toBe(2);
  });

  test("that are not there are an upstream error", () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        expect(() => embedding().decode(body, { model: "m", input: "a" }, facts)).toThrow(GatewayError);
      }),
    );
  });
});

test("an upstream that answers nonsense never causes another exception", () => {
  const allowed = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
    }
  };
  const typed = fc.record({ type: fc.constantFrom("message", "error", "x"), content: fc.jsonValue() });
  const CLAUDE = { type: "message", content: [{ type: "text", text: "a" }], stop_reason: "end_turn", usage: {} };
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), typed), (body) => {
      allowed(() => decode(body));
      allowed(() => run(decoder(), [{ name: null, data: JSON.stringify(body) }]));
    }),
    always([...tripped(fixture("text")), ...tripped(CLAUDE)] as never[]),
  );
  expect(() => decoder().end()).toThrow("Vertex AI's stream broke off.");
});

test("failures are judged as at the Gemini API, under Vertex AI's name", () => {
  const classify = (status: number, body: string) => vertexAi.classify({ status, headers: new Headers(), body });
  expect(classify(400, fixtureText("errors/context-window-vertex.json"))).toMatchObject({
    kind: "context_window",
    message: expect.stringMatching(/^Vertex AI: /),
  });
  expect(classify(401, fixtureText("errors/unauthenticated.json")).kind).toBe("upstream_authentication");
  const overloaded = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
  expect(classify(529, overloaded).kind).toBe("upstream_unavailable");
});
