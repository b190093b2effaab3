import { describe, expect, test } from "bun:test";
import { CALL, SSE, USAGE } from "./dialect-answers.ts";
import { startRaw } from "./raw-upstream.ts";
import { FAILURES, NAMES, SAID, TOO_LONG, UNCOUNTED, WILD_ANSWERS } from "./wild-answers.ts";

const { books, chat, post } = await startRaw(WILD_ANSWERS, {
  stream_timeout: 8,
  context_window_fallbacks: Object.keys(TOO_LONG).map((name) => ({ [name]: ["fine"] })),
});

interface Frame {
  readonly choices: readonly { readonly delta?: { readonly content?: string; readonly tool_calls?: unknown } }[];
  readonly usage?: unknown;
}
const framesOf = (text: string): string[] => text.split("\n\n").filter((frame) => frame !== "");
const parsed = (text: string): Frame[] =>
  framesOf(text)
    .slice(0, -1)
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as Frame);
const saidIn = (frames: readonly Frame[]): string =>
  frames.flatMap(({ choices }) => choices.map(({ delta }) => delta?.content ?? "")).join("");
const COUNTED = { status: "succeeded", promptTokens: 10, completionTokens: 5, estimated: false };
const WITH_USAGE = { stream_options: { include_usage: true } };

describe("an answer in one piece where a stream was asked for", () => {
  const cases = [...NAMES.map((name) => `${name} in one piece`), ...NAMES.map((name) => `${name} indented`), "a list"];
  // Of lines that are JSON each, an indented answer is many that are none.
  test.each(cases.filter((name) => name !== "ollama indented"))(
    "%s is streamed, and charged by its count",
    async (name) => {
      const text = await (await chat(name, true, WITH_USAGE)).text();
      const frames = parsed(text);
      expect(framesOf(text).at(-1)).toBe("data: [DONE]");
      expect(frames[0]?.choices[0]?.delta).toMatchObject({ role: "assistant" });
      expect(saidIn(frames)).toBe("Hello");
      expect(frames.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
      expect(frames.at(-1)).toMatchObject({ model: name, choices: [], usage: USAGE });
      expect(await books.last()).toMatchObject(COUNTED);
    },
  );

  test("the count goes out only where it was asked for", async () => {
    const frames = parsed(await (await chat("openai in one piece", true)).text());
    expect(frames.some((frame) => frame.usage)).toBe(false);
    expect(await books.last()).toMatchObject(COUNTED);
  });

  test("calls are numbered, and end the answer as such", async () => {
    const frames = parsed(await (await chat("calls in one piece", true)).text());
    const [call, other] = [
      { index: 0, ...CALL },
      { index: 1, ...CALL },
    ];
    expect(frames[1]?.choices[0]?.delta?.tool_calls).toEqual([
      expect.objectContaining(call),
      expect.objectContaining(other),
    ]);
    expect(frames[2]?.choices[0]).toMatchObject({ finish_reason: "tool_calls" });
  });

  test.each(["a text in one piece", "a text over chat in one piece"])("%s is streamed as one", async (name) => {
    const text = await (await post("/v1/completions", name, { stream: true, prompt: "hi" })).text();
    expect(text).toContain('"text":"Hello"');
    expect(framesOf(text).at(-1)).toBe("data: [DONE]");
    expect(await books.last()).toMatchObject(COUNTED);
  });
});

test("an answer that is whole is not waited for until a time limit where its connection stays open", async () => {
  const texts = await Promise.all(NAMES.map(async (name) => (await chat(`${name} left open`, true)).text()));
  await books.last();
  for (const text of texts) expect(framesOf(text).at(-1)).toBe("data: [DONE]");
  for (const { record } of books.ended.slice(-NAMES.length)) expect(record).toMatchObject(COUNTED);
});

describe("a stream that breaks", () => {
  test.each(NAMES)(
    "of %s, wherever it does, is whole or says that it is not",
    async (provider) => {
      const name = `${provider} broken`;
      const whole = WILD_ANSWERS[name]?.sent ?? new Uint8Array();
      for (let at = 1; at < whole.length; at += 29) {
        WILD_ANSWERS[name] = { provider, sent: whole.subarray(0, at), cut: true };
        const response = await chat(name, true);
        const text = await response.text();
        const isWhole = framesOf(text).at(-1) === "data: [DONE]";
        const { status } = await books.last();
        if (isWhole) expect([saidIn(parsed(text)), status]).toEqual(["Hello", "succeeded"]);
        else expect([text.includes('"error"'), status]).toEqual([true, response.ok ? "partial" : "failed"]);
      }
    },
    60_000,
  );

  test.each(Object.keys(SAID))("behind all that was to be said, with %s, is whole", async (name) => {
    const text = await (await chat(name, true)).text();
    expect(framesOf(text).at(-1)).toBe("data: [DONE]");
    expect(await books.last()).toMatchObject({ status: "succeeded", estimated: true });
  });
});

describe("a failure with the status of success", () => {
  test.each(Object.keys(FAILURES))("told by %s means what it would with its own, and is free", async (name) => {
    const [, streamed, status, words] = FAILURES[name] ?? [null, false, 0, ""];
    const response = await chat(name, streamed);
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(words);
    expect(await books.last()).toMatchObject({ status: "failed", cost: 0n });
  });
});

test.each(Object.keys(TOO_LONG).flatMap((name) => [[name, true] as const, [name, false] as const]))(
  "a prompt that is %s goes to a longer window (streamed: %p)",
  async (name, streamed) => {
    expect(await (await chat(name, streamed)).text()).toContain('"content":"Hello"');
    expect(await books.last()).toMatchObject(COUNTED);
  },
);

test.each(["a delay of google's", "a delay of google's in a stream"])("%s is told in a header", async (name) => {
  const response = await chat(name, name.endsWith("stream"));
  expect([response.status, response.headers.get("retry-after")]).toEqual([429, "39"]);
  await response.text();
});

test.each(["cached by anthropic", "cached by anthropic, streamed", "cached by bedrock"])(
  "a prompt %s is charged by what was read, and written for how long",
  async (name) => {
    await (await chat(name, name.endsWith("streamed"))).text();
    const cost = 10_000n + 10_000n + 500_000n + 1_200_000n + 10_000n;
    expect(await books.last()).toMatchObject({ promptTokens: 1110, cachedTokens: 100, cacheWriteTokens: 1000, cost });
  },
);

test.each(Object.keys(UNCOUNTED))(
  "an answer with %s is charged by what was told, and our own count of the rest",
  async (name) => {
    const [raw, prompt, answer] = UNCOUNTED[name] ?? [];
    await (await chat(name, Buffer.from(raw?.sent ?? []).includes(SSE))).text();
    const { estimated, promptTokens, completionTokens } = await books.last();
    expect(estimated).toBe(true);
    if (prompt) expect(promptTokens).toBe(prompt);
    expect(promptTokens > 0 && promptTokens < 100).toBe(true);
    if (answer) expect(completionTokens).toBe(answer);
    else expect(completionTokens > 0 && completionTokens < 100).toBe(true);
  },
);
