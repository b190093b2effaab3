import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { script } from "./dialect-suite.ts";
import { DIALECTS, type Dialect, startUpstreams, type Upstreams } from "./dialect-upstreams.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const folder = newFolder();
let upstreams: Upstreams;
let turnpike: Turnpike;
let client: Anthropic;
let key = "";

beforeAll(async () => {
  upstreams = await startUpstreams();
  writeFileSync(join(folder.path, "turnpike.yaml"), upstreams.yaml);
  turnpike = await startTurnpike(folder.path);
  key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
  client = new Anthropic({ baseURL: turnpike.url, apiKey: key, maxRetries: 0 });
});
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  upstreams?.stop();
  folder.remove();
});

const say = (content: string) => [{ role: "user" as const, content }];
const failureOf = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
/** What a dialect does not have is not a test that was skipped. */
const when = (has: boolean) => (has ? test : (_name: string, _body: () => Promise<void>) => undefined);
const ECHOED = 'Echo of "hello", with ünïcode ✓.';

const TOOLS: Anthropic.Tool[] = ["get_weather", "get_time"].map((name) => ({
  name,
  description: "Tells something.",
  input_schema: { type: "object" as const, properties: { city: { type: "string" }, zone: { type: "string" } } },
}));

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))(
  "%s, through Anthropic's official client,",
  (model, dialect: Dialect) => {
    const max_tokens = 2000;

    test("answers, plain and streamed, with its usage", async () => {
      const { data, request_id } = await client.messages
        .create({ model, max_tokens, messages: say("hello") })
        .withResponse();
      expect(data).toMatchObject({ model, role: "assistant", stop_reason: "end_turn" });
      expect(data.content).toMatchObject([{ type: "text", text: ECHOED }]);
      expect(data.usage).toMatchObject({ input_tokens: 11, output_tokens: 6 });
      expect(request_id).toMatch(/^[\w-]{36}$/);
      const stream = client.messages.stream({ model, max_tokens, messages: say("hello") });
      const streamed = await stream.finalMessage();
      expect(streamed).toMatchObject({ model, stop_reason: "end_turn", usage: { input_tokens: 11, output_tokens: 6 } });
      expect(streamed.content).toMatchObject([{ type: "text", text: ECHOED }]);
    });

    test("calls tools, plain and streamed, and takes their results", async () => {
      const asked = { model, max_tokens, tools: TOOLS, messages: say("both tools") };
      const plain = await client.messages.create(asked);
      const streamed = await client.messages.stream(asked).finalMessage();
      for (const { content, stop_reason } of [plain, streamed]) {
        expect(stop_reason).toBe("tool_use");
        expect(content.map((block) => (block.type === "tool_use" ? [block.name, block.input] : []))).toEqual([
          ["get_weather", { city: "Paris" }],
          ["get_time", { zone: "Europe/Paris" }],
        ]);
      }
      const results = streamed.content.flatMap((block) =>
        block.type === "tool_use"
          ? [{ type: "tool_result" as const, tool_use_id: block.id, content: `of ${block.name}` }]
          : [],
      );
      const answered = await client.messages.create({
        ...asked,
        messages: [
          ...asked.messages,
          { role: "assistant", content: streamed.content },
          { role: "user", content: results },
        ],
      });
      expect(answered.content).toMatchObject([
        { text: expect.stringMatching(/^The tools said: .*of get_weather.* and .*of get_time/) },
      ]);
    });

    when(!dialect.noReasoning)("thinks, plain and streamed, and goes on with its thoughts", async () => {
      const thinking = { type: "enabled" as const, budget_tokens: 1024 };
      const asked = { model, max_tokens, thinking, messages: say("think") };
      const plain = await client.messages.create(asked);
      const streamed = await client.messages.stream(asked).finalMessage();
      for (const { content } of [plain, streamed]) {
        expect(content).toMatchObject([
          { type: "thinking", thinking: "Let me think." },
          { type: "text", text: "Done thinking." },
        ]);
      }
      expect(streamed.content as unknown[]).toEqual(plain.content);
      const answered = await client.messages.create({
        ...asked,
        messages: [...say("think"), { role: "assistant", content: streamed.content }, ...say("hello")],
      });
      expect(answered.content.at(-1)).toMatchObject({ text: ECHOED });
    });

    test("counts tokens", async () => {
      const counted = await client.messages.countTokens({ model, messages: say("hello"), tools: TOOLS });
      expect(counted.input_tokens).toBeGreaterThan(5);
    });

    test("fails as the client knows it", async () => {
      const failed = await failureOf(client.messages.create({ model, max_tokens, messages: say("fail rate_limit") }));
      expect(failed).toBeInstanceOf(Anthropic.RateLimitError);
      const broken = client.messages.stream({ model, max_tokens, messages: say("break") });
      expect(await failureOf(broken.finalMessage())).toBeInstanceOf(Anthropic.APIError);
    });
  },
);

test("the address under /anthropic and a bearer token work as well", async () => {
  const other = new Anthropic({ baseURL: `${turnpike.url}/anthropic`, authToken: key, apiKey: null, maxRetries: 0 });
  const answer = await other.beta.messages.create({
    model: "anthropic",
    max_tokens: 100,
    messages: say("hello"),
    betas: ["context-1m-2025-08-07"],
  });
  expect(answer.content).toMatchObject([{ text: ECHOED }]);
  expect(script.seen.at(-1)?.model).toBe("claude-sonnet-4-5");
  const stranger = new Anthropic({ baseURL: turnpike.url, apiKey: `sk-${"x".repeat(40)}`, maxRetries: 0 });
  const refused = await failureOf(stranger.messages.create({ model: "anthropic", max_tokens: 1, messages: say("x") }));
  expect(refused).toBeInstanceOf(Anthropic.AuthenticationError);
});
