import { describe, expect, test } from "bun:test";
import type { ChatCompletion, ChatCompletionChunk } from "openai/resources";
import { said, testEcho } from "../test-echo.ts";

const { events, json, post } = testEcho();
const stream = (body: object) => events<ChatCompletionChunk>("chat/completions", body);

describe("a streamed answer", () => {
  test("has the role first, one piece in each chunk, the reason last, and ends with [DONE]", async () => {
    const chunks = await stream(said("Hello big world"));
    const deltas = chunks.map(({ choices }) => choices[0]?.delta);
    expect(deltas[0]).toMatchObject({ role: "assistant", content: "" });
    expect(deltas.slice(1, -1).map((delta) => delta?.content)).toEqual([
      "You",
      " said",
      ":",
      " Hello",
      " big",
      " world",
    ]);
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
    const response = await post("chat/completions", { ...said("x"), stream: true });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(await response.text()).toEndWith("data: [DONE]\n\n");
  });

  test("keeps id, time, model and fingerprint through all chunks", async () => {
    const chunks = await stream({ ...said("Hello"), stream_options: { include_usage: true } });
    const heads = chunks.map(({ id, created, model, system_fingerprint }) =>
      [id, created, model, system_fingerprint].join(),
    );
    expect(new Set(heads).size).toBe(1);
  });

  test("reports the same usage as a plain answer, in a chunk without choices, when asked", async () => {
    const body = { ...said("Hello"), n: 3, max_tokens: 2 };
    const chunks = await stream({ ...body, stream_options: { include_usage: true } });
    const plain = await json<ChatCompletion>("chat/completions", body);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { ...plain.usage } });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    expect((await stream(body)).some((chunk) => "usage" in chunk)).toBe(false);
  });

  test("sends all choices in turn", async () => {
    const chunks = await stream({ ...said("Hi"), n: 3 });
    expect(chunks.slice(0, 6).map(({ choices }) => choices[0]?.index)).toEqual([0, 1, 2, 0, 1, 2]);
    expect(chunks.filter(({ choices }) => choices[0]?.finish_reason === "stop")).toHaveLength(3);
  });

  test("carries logprobs with each piece", async () => {
    const chunks = await stream({ ...said("Hi"), logprobs: true });
    expect(chunks[1]?.choices[0]?.logprobs?.content).toMatchObject([{ token: "You", top_logprobs: [] }]);
  });

  test("carries text outside of Unicode's well-formed strings unharmed", async () => {
    const text = "a\ud800 b 🦊🦊🦊🦊🦊🦊🦊🦊";
    const chunks = await stream(said(text));
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(`You said: ${text}`);
  });
});
