import { describe, expect, test } from "bun:test";
import type { Completion } from "openai/resources";
import { testEcho } from "../test-echo.ts";
import { countTokens } from "../text/tokenize.ts";

const { json, events, refusal } = testEcho();
const ask = (body: object) => json<Completion>("completions", { model: "echo", ...body });
const texts = async (body: object) => (await ask(body)).choices.map(({ text }) => text);

describe("completions", () => {
  test("repeat the prompt", async () => {
    const { choices, usage } = await ask({ prompt: "Once upon a time" });
    expect(choices).toMatchObject([
      { index: 0, text: "You said: Once upon a time", finish_reason: "stop", logprobs: null },
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 4, completion_tokens: countTokens("You said: Once upon a time") });
  });

  test("of several prompts with n are numbered prompt by prompt", async () => {
    const { choices } = await ask({ prompt: ["a", "b"], n: 2 });
    expect(choices.map(({ index, text }) => `${index} ${text}`)).toEqual([
      "0 You said: a",
      "1 You said: a",
      "2 You said: b",
      "3 You said: b",
    ]);
  });

  test("read token numbers, each as one token", async () => {
    const { choices, usage } = await ask({ prompt: [15, 1234] });
    expect(choices[0]?.text).toBe("You said: <15><1234>");
    expect(usage?.prompt_tokens).toBe(2);
    expect(await texts({ prompt: [[1], [2, 3]] })).toEqual(["You said: <1>", "You said: <2><3>"]);
  });

  test("give the prompt back first when `echo` is set, without counting it as sent", async () => {
    const { choices, usage } = await ask({ prompt: "Hi. ", echo: true, max_tokens: 0 });
    expect(choices[0]).toMatchObject({ text: "Hi. ", finish_reason: "length" });
    expect(usage?.completion_tokens).toBe(0);
  });

  test("mention the suffix and count it", async () => {
    const { choices, usage } = await ask({ prompt: "a", suffix: "z" });
    expect(choices[0]?.text).toBe("You said: a (before: z)");
    expect(usage?.prompt_tokens).toBe(2);
  });

  test("have logprobs whose offsets start in the echoed prompt", async () => {
    const { choices } = await ask({ prompt: "Hi", echo: true, logprobs: 2, max_tokens: 1 });
    expect(choices[0]?.logprobs).toMatchObject({ tokens: ["Hi", "You"], text_offset: [0, 2] });
    expect(choices[0]?.logprobs?.token_logprobs?.[0]).toBeNull();
  });

  test("stop and max_tokens cut", async () => {
    expect(await texts({ prompt: "one two", stop: " two" })).toEqual(["You said: one"]);
    expect((await ask({ prompt: "one two", max_tokens: 2 })).choices[0]).toMatchObject({
      text: "You said",
      finish_reason: "length",
    });
  });

  test("best_of below n is refused, and best_of above n in a stream", async () => {
    expect(await refusal("completions", { model: "echo", prompt: "a", n: 2, best_of: 1 })).toMatchObject({
      status: 400,
      param: "best_of",
    });
    expect(await refusal("completions", { model: "echo", prompt: "a", best_of: 2, stream: true })).toMatchObject({
      status: 400,
    });
    expect(await texts({ prompt: "a", best_of: 2 })).toHaveLength(1);
  });
});

test("a streamed completion is the plain one in pieces", async () => {
  const body = { prompt: ["one two", "three"], n: 2, logprobs: 0 };
  const chunks = await events<Completion>("completions", {
    model: "echo",
    ...body,
    stream_options: { include_usage: true },
  });
  const plain = await ask(body);
  for (const { index, text, logprobs } of plain.choices) {
    const own = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
    expect(own.map((choice) => choice.text).join("")).toBe(text);
    expect(own.flatMap((choice) => choice.logprobs?.text_offset ?? [])).toEqual(logprobs?.text_offset ?? []);
    expect(own.map((choice) => choice.finish_reason).filter(Boolean)).toEqual(["stop"]);
  }
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { ...plain.usage } });
});
