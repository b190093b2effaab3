import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { script } from "./dialect-suite.ts";
import { DIALECTS, type Dialect, startUpstreams, type Upstreams } from "./dialect-upstreams.ts";
import { installNpmClient } from "./install-npm-client.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const path = await installNpmClient("@google/genai@3.1.0", "");
// Not among the packages of the program, so that its types are not at hand.
// biome-ignore lint/suspicious/noExplicitAny: a client without types.
const { GoogleGenAI } = (path === null ? {} : await import(path)) as any;

const folder = newFolder();
let upstreams: Upstreams;
let turnpike: Turnpike;
// biome-ignore lint/suspicious/noExplicitAny: a client without types.
let client: any;
let key = "";

beforeAll(async () => {
  if (path === null) return;
  upstreams = await startUpstreams();
  writeFileSync(join(folder.path, "turnpike.yaml"), upstreams.yaml);
  turnpike = await startTurnpike(folder.path);
  key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
  client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: turnpike.url } });
});
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  upstreams?.stop();
  folder.remove();
});

const ECHOED = 'Echo of "hello", with ünïcode ✓.';
const declaration = (name: string) => ({
  name,
  description: "Tells something.",
  parameters: { type: "OBJECT", properties: { city: { type: "STRING" }, zone: { type: "STRING" } } },
});
const tools = [{ functionDeclarations: ["get_weather", "get_time"].map(declaration) }];
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (thrown: unknown) => thrown,
  );

describe.skipIf(path === null).each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))(
  "%s, through Google's official client,",
  (model, dialect: Dialect) => {
    test("answers, plain and streamed, with its usage", async () => {
      const answer = await client.models.generateContent({ model, contents: "hello" });
      expect([answer.text, answer.modelVersion, answer.candidates[0].finishReason]).toEqual([ECHOED, model, "STOP"]);
      expect(answer.usageMetadata).toMatchObject({ promptTokenCount: 11, candidatesTokenCount: 6 });
      let text = "";
      let usage: unknown;
      for await (const piece of await client.models.generateContentStream({ model, contents: "hello" })) {
        text += piece.text ?? "";
        usage = piece.usageMetadata ?? usage;
      }
      expect([text, usage]).toMatchObject([ECHOED, { promptTokenCount: 11, candidatesTokenCount: 6 }]);
    });

    test("goes on with a conversation, and calls functions in it", async () => {
      const chat = client.chats.create({ model, config: { tools, systemInstruction: "Be brief." } });
      const stream = await chat.sendMessageStream({ message: "both tools" });
      // biome-ignore lint/suspicious/noExplicitAny: a client without types.
      const calls: any[] = [];
      for await (const piece of stream) calls.push(...(piece.functionCalls ?? []));
      expect(calls).toMatchObject([
        { name: "get_weather", args: { city: "Paris" } },
        { name: "get_time", args: { zone: "Europe/Paris" } },
      ]);
      const results = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: name } } }));
      const next = await chat.sendMessage({ message: results });
      expect(next.text).toMatch(/get_weather.* and .*get_time/);
      expect(script.seen.at(-1)?.systemText).toBe("Be brief.");
    });

    test("counts, and fails as Google does", async () => {
      const { totalTokens } = await client.models.countTokens({ model, contents: "hello" });
      expect(totalTokens).toBeGreaterThan(0);
      const failure = await failureOf(client.models.generateContent({ model, contents: "fail rate_limit" }));
      expect(failure).toMatchObject({ name: "ApiError", status: 429 });
    });

    if (dialect.noReasoning !== true) {
      test("shows what it thought", async () => {
        const config = { thinkingConfig: { thinkingBudget: 1024, includeThoughts: true }, maxOutputTokens: 9000 };
        const answer = await client.models.generateContent({ model, contents: "think", config });
        expect(answer.candidates[0].content.parts).toMatchObject([
          { text: "Let me think.", thought: true },
          { text: "Done thinking." },
        ]);
        expect(answer.text).toBe("Done thinking.");
      });
    }
  },
);

test.skipIf(path === null)("Google's official client lists and gets models", async () => {
  const names: string[] = [];
  for await (const model of await client.models.list({ config: { pageSize: 2 } })) names.push(model.name);
  expect(names).toContain(`models/${DIALECTS[0]?.name}`);
  expect(await client.models.get({ model: DIALECTS[0]?.name })).toMatchObject({ name: names[0] });
  const other = new GoogleGenAI({ apiKey: `sk-${"x".repeat(40)}`, httpOptions: { baseUrl: turnpike.url } });
  expect(await failureOf(other.models.generateContent({ model: "x", contents: "a" }))).toMatchObject({ status: 401 });
});
