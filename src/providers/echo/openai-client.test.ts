import { afterAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { makeParseableResponseFormat } from "openai/lib/parser";
import { createEcho } from "./echo.ts";
import { instantSleep } from "./test-echo.ts";

/** The official client over a real socket: what it understands, other clients do. */
const server = Bun.serve({ port: 0, development: false, fetch: createEcho({ nowMs: Date.now, sleep: instantSleep }) });
const client = new OpenAI({ baseURL: `${server.url}v1`, apiKey: "none", maxRetries: 2 });
afterAll(() => server.stop(true));

const messages = [{ role: "user" as const, content: "Please get weather" }];
const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

describe("the official client", () => {
  test("chats", async () => {
    const { choices, usage } = await client.chat.completions.create({ model: "echo", messages });
    expect(choices[0]?.message.content).toBe("You said: Please get weather");
    expect(usage?.total_tokens).toBeGreaterThan(0);
  });

  test("streams, and sums the chunks up to the plain answer", async () => {
    const stream = client.chat.completions.stream({
      model: "echo",
      messages,
      n: 2,
      stream_options: { include_usage: true },
    });
    let text = "";
    for await (const { choices } of stream) if (choices[0]?.index === 0) text += choices[0].delta.content ?? "";
    expect(text).toBe("You said: Please get weather");
    const final = await stream.finalChatCompletion();
    expect(final.choices.map(({ message }) => message.content)).toEqual([text, text]);
    expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(0);
  });

  test("runs a tool and answers with its result, plain and streamed", async () => {
    const asked: unknown[] = [];
    const runner = (stream: boolean) => ({
      model: "echo",
      messages,
      tools: [
        {
          type: "function" as const,
          function: {
            name: "get_weather",
            description: "The weather of a city",
            parameters,
            parse: JSON.parse,
            function: (input: unknown) => {
              asked.push(input);
              return "21 degrees";
            },
          },
        },
      ],
      ...(stream ? { stream: true as const } : {}),
    });
    for (const stream of [false, true]) {
      const run = client.chat.completions.runTools(
        runner(stream) as Parameters<typeof client.chat.completions.runTools>[0],
      );
      expect(await run.finalContent()).toBe("get_weather answered: 21 degrees");
    }
    expect(asked).toEqual([{ city: "Please get weather" }, { city: "Please get weather" }]);
  });

  test("parses a structured answer", async () => {
    const format = { type: "json_schema" as const, json_schema: { name: "place", strict: true, schema: parameters } };
    const { choices } = await client.chat.completions.parse({
      model: "echo",
      messages,
      response_format: makeParseableResponseFormat(format, (text) => JSON.parse(text) as { city: string }),
    });
    expect(choices[0]?.message.parsed).toEqual({ city: "Please get weather" });
  });

  test("completes, plain and streamed", async () => {
    const body = { model: "echo", prompt: "Hello" };
    const plain = await client.completions.create(body);
    let text = "";
    for await (const chunk of await client.completions.create({ ...body, stream: true }))
      text += chunk.choices[0]?.text ?? "";
    expect([plain.choices[0]?.text, text]).toEqual(["You said: Hello", "You said: Hello"]);
  });

  test("embeds, in its own default encoding and in floats", async () => {
    const body = { model: "echo", input: ["a", "b"], dimensions: 64 };
    const packed = await client.embeddings.create(body);
    const plain = await client.embeddings.create({ ...body, encoding_format: "float" });
    expect(packed.data.map(({ embedding }) => [...embedding])).toEqual(plain.data.map(({ embedding }) => embedding));
  });

  test("draws", async () => {
    const { data } = await client.images.generate({ model: "echo", prompt: "a fox", size: "256x256" });
    expect(Buffer.from(data?.[0]?.b64_json ?? "", "base64").toString("latin1", 1, 4)).toBe("PNG");
  });

  test("speaks, and hears what was spoken", async () => {
    const input = "Good morning, 世界!";
    const spoken = await client.audio.speech.create({ model: "echo", voice: "nova", input });
    const file = await toFile(await spoken.arrayBuffer(), "speech.wav");
    expect((await client.audio.transcriptions.create({ model: "echo", file })).text).toBe(input);
    const verbose = await client.audio.transcriptions.create({
      model: "echo",
      file,
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    expect(verbose.words?.map(({ word }) => word)).toEqual(["Good", "morning,", "世界!"]);
    expect(verbose.segments).toHaveLength(1);
  });

  test("moderates and lists models", async () => {
    expect((await client.moderations.create({ input: "I hate this" })).results[0]?.categories.hate).toBe(true);
    expect((await client.models.list()).data.map(({ id }) => id)).toContain("echo");
  });

  test("reads refusals as its own error types", async () => {
    const error: unknown = await client.chat.completions
      .create({ model: "echo", messages: [] })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, param: "messages", requestID: expect.stringMatching(/^req_/) });
  });

  test("retries what fails twice and then succeeds", async () => {
    const fault = { status: 500, retry_after: 0.001, times: 2, key: "retry" };
    const body = { model: "echo", messages, echo_fault: fault };
    const { choices } = await client.chat.completions.create(body);
    expect(choices).toHaveLength(1);
  });

  test("sees an error in mid-stream, and a cut stream after the pieces before the cut", async () => {
    const read = async (fault: object) => {
      const stream = await client.chat.completions.create({
        model: "echo",
        messages,
        stream: true,
        ...{ echo_fault: fault },
      });
      let pieces = 0;
      try {
        for await (const { choices } of stream) if (choices[0]?.delta.content) pieces++;
        return { pieces, error: undefined };
      } catch (error) {
        return { pieces, error };
      }
    };
    const failed = await read({ error_after: 2, message: "overloaded" });
    expect(failed.pieces).toBe(2);
    expect(failed.error).toBeInstanceOf(OpenAI.APIError);
    const cut = await read({ cut_after: 3 });
    // How much of the last bytes a socket still delivers is up to the system; the exact count is tested without one.
    expect(cut.pieces).toBeLessThanOrEqual(3);
    expect(cut.error).toBeDefined();
  });
});
