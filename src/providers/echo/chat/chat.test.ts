import { describe, expect, test } from "bun:test";
import type { ChatCompletion } from "openai/resources";
import { said, testEcho } from "../test-echo.ts";
import { countTokens } from "../text/tokenize.ts";

const { json, post, refusal } = testEcho();
const ask = (body: object) => json<ChatCompletion>("chat/completions", body);
const reply = async (body: object) => (await ask(body)).choices[0]?.message.content;

describe("what echo says", () => {
  test("it repeats the last user message", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "First" },
      { role: "assistant", content: "You said: First" },
      { role: "user", content: "Second" },
    ];
    expect(await reply({ model: "echo", messages })).toBe("You said: Second");
  });

  test("parts that are not text are described", async () => {
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:," } },
      { type: "input_audio", input_audio: { data: "", format: "wav" } },
      { type: "file", file: { filename: "a.pdf" } },
    ];
    const said = await reply({ model: "echo", messages: [{ role: "user", content }] });
    expect(said).toBe("You said: What is this? [image] [audio] [file: a.pdf]");
  });

  test("without a user message it says so", async () => {
    expect(await reply({ model: "echo", messages: [{ role: "system", content: "x" }] })).toBe("You said nothing.");
  });

  test("the same request has the same answer", async () => {
    const body = { ...said("Once more"), temperature: 1, seed: 3 };
    const [first, second] = [await ask(body), await ask(body)];
    expect({ ...first, id: "" }).toEqual({ ...second, id: "" });
  });
});

describe("limits of an answer", () => {
  test("max_tokens and max_completion_tokens cut with the reason `length`", async () => {
    for (const field of ["max_tokens", "max_completion_tokens"]) {
      const { choices, usage } = await ask({ ...said("one two three"), [field]: 4 });
      expect(choices[0]).toMatchObject({ finish_reason: "length", message: { content: "You said: one" } });
      expect(usage?.completion_tokens).toBe(4);
    }
  });

  test("a stop text that spans pieces is not sent, nor what follows it", async () => {
    const { choices } = await ask({ ...said("one two three"), stop: ["wo thr"] });
    expect(choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "You said: one t" } });
  });

  test("an answer to a huge message stays bounded", async () => {
    const { usage, choices } = await ask(said("word ".repeat(50_000)));
    expect(usage?.completion_tokens).toBe(16_384);
    expect(choices[0]?.finish_reason).toBe("length");
  });
});

describe("counts", () => {
  test("usage counts the pieces read and sent, with three more for each message and for the reply", async () => {
    const { usage } = await ask(said("Hello world"));
    expect(usage).toMatchObject({
      prompt_tokens: countTokens("Hello world") + 6,
      completion_tokens: countTokens("You said: Hello world"),
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  test("n choices are numbered and all of them are counted", async () => {
    const one = await ask(said("Hello"));
    const five = await ask({ ...said("Hello"), n: 5 });
    expect(five.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(five.usage?.completion_tokens).toBe(5 * (one.usage?.completion_tokens ?? 0));
    expect(five.usage?.prompt_tokens).toBe(one.usage?.prompt_tokens);
  });
});

describe("JSON and logprobs", () => {
  test("JSON mode answers an object with the echo in it", async () => {
    const content = await reply({ ...said('Say "hi"'), response_format: { type: "json_object" } });
    expect(JSON.parse(content ?? "")).toEqual({ echo: 'You said: Say "hi"' });
  });

  test("a JSON schema is satisfied", async () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" } },
      required: ["city", "days"],
    };
    const content = await reply({
      ...said("Paris"),
      response_format: { type: "json_schema", json_schema: { name: "x", schema } },
    });
    expect(JSON.parse(content ?? "")).toEqual({ city: "Paris", days: 0 });
  });

  test("logprobs cover the whole text", async () => {
    const { choices } = await ask({ ...said("Hello"), logprobs: true, top_logprobs: 3 });
    const content = choices[0]?.logprobs?.content ?? [];
    expect(content.map(({ token }) => token).join("")).toBe("You said: Hello");
    expect(content.every(({ top_logprobs }) => top_logprobs.length === 3)).toBe(true);
  });
});

describe("refusals", () => {
  const wrong: readonly [string, object, string | null][] = [
    ["no messages", { model: "echo", messages: [] }, "messages"],
    ["no model", { messages: [{ role: "user", content: "x" }] }, "model"],
    ["an unknown role", { model: "echo", messages: [{ role: "robot", content: "x" }] }, "messages[0].role"],
    ["too many choices", { ...said("x"), n: 129 }, "n"],
    ["no tokens", { ...said("x"), max_tokens: 0 }, "max_tokens"],
    ["a fraction of tokens", { ...said("x"), max_tokens: 1.5 }, "max_tokens"],
    ["top_logprobs alone", { ...said("x"), top_logprobs: 2 }, "top_logprobs"],
    ["stream_options without a stream", { ...said("x"), stream_options: { include_usage: true } }, "stream_options"],
    ["an unknown response format", { ...said("x"), response_format: { type: "xml" } }, "response_format"],
    [
      "a schema that nothing satisfies",
      { ...said("x"), response_format: { type: "json_schema", json_schema: { name: "x", schema: false } } },
      "response_format",
    ],
  ];
  for (const [name, body, param] of wrong) {
    test(`${name}: 400 that names the field`, async () => {
      expect(await refusal("chat/completions", body)).toMatchObject({
        status: 400,
        type: "invalid_request_error",
        param,
      });
    });
  }

  test("null stands for an absent field", async () => {
    expect((await post("chat/completions", { ...said("x"), n: null, stop: null, tools: null })).status).toBe(200);
  });
});
