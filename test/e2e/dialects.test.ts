import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { PIXEL, script, TOOLS } from "./dialect-suite.ts";
import { DIALECTS, type Dialect, startUpstreams, type Upstreams } from "./dialect-upstreams.ts";
import { zodlessSchema } from "./json-format.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const folder = newFolder();
let upstreams: Upstreams;
let turnpike: Turnpike;
let client: OpenAI;

beforeAll(async () => {
  upstreams = await startUpstreams();
  writeFileSync(join(folder.path, "turnpike.yaml"), upstreams.yaml);
  turnpike = await startTurnpike(folder.path);
  const apiKey = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
  client = new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey, maxRetries: 0 });
});
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  upstreams?.stop();
  folder.remove();
});

/** What a dialect does not have is not a test that was skipped. */
const when = (has: boolean) => (has ? test : (_name: string, _body: () => Promise<void>) => undefined);

const say = (content: string) => [{ role: "user" as const, content }];
const failureOf = async (work: () => PromiseLike<unknown>): Promise<InstanceType<typeof OpenAI.APIError> | null> => {
  try {
    await work();
    return null;
  } catch (thrown) {
    if (thrown instanceof OpenAI.APIError) return thrown;
    throw thrown;
  }
};

/** Everything that a stream says, put together by the client's own helper. */
async function collect(params: Omit<OpenAI.ChatCompletionCreateParamsStreaming, "stream">) {
  const stream = client.chat.completions.stream({ ...params });
  const completion = await stream.finalChatCompletion();
  return completion;
}

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))(
  "%s, through the official client,",
  (model, dialect: Dialect) => {
    test("answers, under the name that was asked for, with its usage", async () => {
      const { data, response } = await client.chat.completions.create({ model, messages: say("hello") }).withResponse();
      expect(data.model).toBe(model);
      expect(data.choices[0]?.message).toMatchObject({
        role: "assistant",
        content: 'Echo of "hello", with ünïcode ✓.',
      });
      expect(data.choices[0]?.finish_reason).toBe("stop");
      expect(data.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 });
      expect(response.headers.get("x-gw-model-id")).toBe(`${model}-id`);
      expect(response.headers.get("x-gw-model-group")).toBe(model);
    });

    test("streams what it would have said, and tells the usage only when asked", async () => {
      const silent = await client.chat.completions.create({ model, messages: say("hello"), stream: true });
      let text = "";
      let finish: string | null = null;
      for await (const chunk of silent) {
        expect(chunk.model).toBe(model);
        expect(chunk.usage ?? null).toBeNull();
        text += chunk.choices[0]?.delta.content ?? "";
        finish = chunk.choices[0]?.finish_reason ?? finish;
      }
      expect([text, finish]).toEqual(['Echo of "hello", with ünïcode ✓.', "stop"]);

      const told = await client.chat.completions.create({
        model,
        messages: say("hello"),
        stream: true,
        stream_options: { include_usage: true },
      });
      let usage: OpenAI.CompletionUsage | null | undefined;
      for await (const chunk of told) usage = chunk.usage ?? usage;
      expect(usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 });
    });

    test("hears the system's and the developer's words", async () => {
      for (const role of ["system", "developer"] as const) {
        const answer = await client.chat.completions.create({
          model,
          messages: [{ role, content: "be kind" }, ...say("system?")],
        });
        expect(answer.choices[0]?.message.content).toBe("My orders: be kind");
      }
    });

    test("calls a tool and hears what it said", async () => {
      const asked = [{ role: "user" as const, content: "use the tool" }];
      const first = await client.chat.completions.create({ model, messages: asked, tools: TOOLS });
      const [choice] = first.choices;
      expect(choice?.finish_reason).toBe("tool_calls");
      const [call] = choice?.message.tool_calls ?? [];
      if (call?.type !== "function" || !choice) throw new Error("no tool call");
      expect(call.function.name).toBe("get_weather");
      expect(JSON.parse(call.function.arguments)).toEqual({ city: "Paris" });
      const second = await client.chat.completions.create({
        model,
        tools: TOOLS,
        messages: [...asked, choice.message, { role: "tool", tool_call_id: call.id, content: "sunny" }],
      });
      expect(second.choices[0]?.message.content).toBe("The tools said: sunny");
    });

    test("calls two tools at once, streamed or not, and hears both", async () => {
      const asked = [{ role: "user" as const, content: "both tools" }];
      const plain = await client.chat.completions.create({ model, messages: asked, tools: TOOLS });
      const streamed = await collect({ model, messages: asked, tools: TOOLS });
      for (const { choices } of [plain, streamed]) {
        expect(choices[0]?.finish_reason).toBe("tool_calls");
        const calls = (choices[0]?.message.tool_calls ?? []).map((call) =>
          call.type === "function" ? call.function : null,
        );
        expect(calls.map((call) => [call?.name, JSON.parse(call?.arguments ?? "null")])).toEqual([
          ["get_weather", { city: "Paris" }],
          ["get_time", { zone: "Europe/Paris" }],
        ]);
      }
      const message = plain.choices[0]?.message;
      const calls = message?.tool_calls ?? [];
      if (!message) throw new Error("no message");
      const results = calls.map((call, index) => ({
        role: "tool" as const,
        tool_call_id: call.id,
        content: `result ${index}`,
      }));
      const answer = await client.chat.completions.create({
        model,
        tools: TOOLS,
        messages: [...asked, message, ...results],
      });
      expect(answer.choices[0]?.message.content).toBe("The tools said: result 0 and result 1");
    });

    when(dialect.noImages !== true)("sees pictures", async () => {
      const content = [
        { type: "text" as const, text: "picture?" },
        { type: "image_url" as const, image_url: { url: PIXEL } },
      ];
      const answer = await client.chat.completions.create({ model, messages: [{ role: "user", content }] });
      expect(answer.choices[0]?.message.content).toBe("I see 1 picture(s).");
    });

    when(dialect.noReasoning !== true)("shows its reasoning apart from its answer", async () => {
      const plain = await client.chat.completions.create({ model, messages: say("think") });
      expect(plain.choices[0]?.message).toMatchObject({
        content: "Done thinking.",
        reasoning_content: "Let me think.",
      });
      const stream = await client.chat.completions.create({ model, messages: say("think"), stream: true });
      let reasoning = "";
      for await (const chunk of stream) {
        reasoning += (chunk.choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? "";
      }
      expect(reasoning).toBe("Let me think.");
    });

    test("fills a JSON schema, parsed by the client's helper", async () => {
      const answer = await client.chat.completions.parse({
        model,
        messages: say("as json"),
        response_format: zodlessSchema,
      });
      expect(answer.choices[0]?.message.parsed).toEqual({ city: "Paris", population: 2_100_000 });
      const streamed = await collect({ model, messages: say("as json"), response_format: zodlessSchema });
      expect(JSON.parse(streamed.choices[0]?.message.content ?? "null")).toEqual({
        city: "Paris",
        population: 2_100_000,
      });
    });

    test("says when it had to stop for length", async () => {
      const answer = await client.chat.completions.create({ model, messages: say("long"), max_tokens: 3 });
      expect(answer.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "This is too" } });
    });

    test.each([
      ["bad_request", 400, "BadRequestError"],
      ["context_window", 400, "ContextWindowExceededError"],
      ["content_policy", 400, "ContentPolicyViolationError"],
      ["auth", 502, "BadGatewayError"],
      ["not_found", 404, "NotFoundError"],
      ["rate_limit", 429, "RateLimitError"],
      ["overloaded", 503, "ServiceUnavailableError"],
      ["server_error", 502, "BadGatewayError"],
    ] as const)("that fails with %s is %i %s, plain and streamed", async (kind, status, name) => {
      if (dialect.lacks?.includes(kind)) return;
      for (const stream of [false, true]) {
        const failure = await failureOf(() =>
          client.chat.completions.create({ model, messages: say(`fail ${kind}`), stream }),
        );
        expect([failure?.status, (failure?.error as { name?: string } | undefined)?.name]).toEqual([status, name]);
        expect(failure?.headers?.get("x-gw-model-id")).toBe(`${model}-id`);
        expect(JSON.stringify(failure)).not.toContain("upstream-secret");
      }
    });

    test.each(["cut", "break"])("that fails in the middle of a stream (%s) is an error to the reader", async (how) => {
      const stream = await client.chat.completions.create({ model, messages: say(how), stream: true });
      const failure = await failureOf(async () => {
        for await (const chunk of stream) void chunk;
      });
      expect(failure).toBeInstanceOf(OpenAI.APIError);
    });

    test("completes a text, plain and streamed", async () => {
      const plain = await client.completions.create({ model, prompt: "hello" });
      expect(plain).toMatchObject({ object: "text_completion", model });
      expect(plain.choices[0]?.text).toContain("hello");
      const stream = await client.completions.create({ model, prompt: "hello", stream: true });
      let text = "";
      for await (const chunk of stream) text += chunk.choices[0]?.text ?? "";
      expect(text).toBe(plain.choices[0]?.text ?? "");
    });

    test("has the limits of a call passed on", async () => {
      script.seen.length = 0;
      await client.chat.completions.create({
        model,
        messages: say("hello"),
        max_tokens: 77,
        temperature: 0.5,
        ...(dialect.noStop ? {} : { stop: ["END"] }),
      });
      const body = JSON.stringify(script.seen.at(-1)?.body);
      for (const value of ["77", "0.5", ...(dialect.noStop ? [] : ["END"])]) expect(body).toContain(value);
      expect(body).not.toContain("metadata");
    });

    when(dialect.embedding !== undefined)("embeds texts, as numbers and as base64", async () => {
      const input = ["a", "bb", "ccc"];
      const answer = await client.embeddings.create({
        model: dialect.embedding ?? "",
        input,
        encoding_format: "float",
      });
      expect(answer.data.map(({ index, embedding }) => [index, embedding[1]])).toEqual([
        [0, 1],
        [1, 2],
        [2, 3],
      ]);
      // Without a format the client asks for base64 and decodes it itself.
      const packed = await client.embeddings.create({ model: dialect.embedding ?? "", input });
      expect(packed.data.map(({ embedding }) => embedding[1])).toEqual([1, 2, 3]);
      expect(answer.model).toBe(dialect.embedding ?? "");
    });
  },
);
