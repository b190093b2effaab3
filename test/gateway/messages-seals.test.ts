import { afterAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/lib/clock.ts";
import { startApp } from "../app.ts";
import { script } from "../e2e/dialect-suite.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { fakeAnthropic } from "../upstreams/anthropic.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";
import { CALLS, SAID, SealingGoogle } from "../upstreams/sealing-google.ts";
import { eventsIn, TOOLS } from "./messages-app.ts";

type Fields = Record<string, unknown>;

const sealing = new SealingGoogle();
const servers = [sealing.answer, fakeAnthropic(script), fakeOpenAi(script)].map((fetch) =>
  Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch }),
);
const [gemini, claude, gpt] = servers.map(({ port }) => `http://127.0.0.1:${port}`);
const entry = (model_name: string, model: string, api_base: string) => ({
  model_name,
  litellm_params: { model, api_base, api_key: "upstream-secret-0123456789" },
  model_info: { input_cost_per_token: "0.000001", output_cost_per_token: "0.000002" },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("gemini", "gemini/gemini-3-pro-preview", `${gemini}/v1beta`),
      entry("claude", "anthropic/claude-sonnet-4-5", `${claude}`),
      entry("gpt", "openai/gpt-4o", `${gpt}/v1`),
    ],
  }),
  null,
  systemClock,
  { ledger: new MemoryBooks() },
);
afterAll(async () => {
  await app.close();
  await Promise.all(servers.map((server) => server.stop(true)));
});

const USER = { role: "user", content: "What is it like there?" };
const post = (fields: object) =>
  app.call("/v1/messages", {
    headers: { "x-api-key": app.first.demoKey ?? "" },
    json: { model: "gemini", max_tokens: 9000, tools: TOOLS, messages: [USER], ...fields },
  });

/** The blocks as a client has them that takes each when it stops, and nothing of it later, unless it is `patient`. */
async function blocksOf(response: Response, patient: boolean): Promise<Fields[]> {
  expect(response.status).toBe(200);
  if (!response.headers.get("content-type")?.includes("event-stream")) {
    return ((await response.json()) as { content: Fields[] }).content;
  }
  const blocks: Fields[] = [];
  const stopped = new Set<unknown>();
  for (const { type, index, content_block, delta } of await eventsIn(response)) {
    const at = Number(index);
    const piece = (delta ?? {}) as Record<string, string>;
    const block = blocks[at] as Record<string, string>;
    if (type === "content_block_start") blocks[at] = { ...(content_block as Fields) };
    if (type === "content_block_stop") stopped.add(index);
    if (type !== "content_block_delta" || (stopped.has(index) && !patient)) continue;
    if (piece.type === "input_json_delta") blocks[at] = { ...block, input: JSON.parse(piece.partial_json ?? "") };
    else for (const name of ["text", "thinking", "signature"]) if (piece[name]) block[name] += piece[name];
  }
  return blocks;
}

const results = (blocks: readonly Fields[]) => {
  const calls = blocks.filter(({ type }) => type === "tool_use");
  const said = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "fine" }));
  return { role: "user", content: calls.length > 0 ? said : "And then?" };
};

async function said(name: string, fields: object, patient = true): Promise<Fields[]> {
  [sealing.parts] = SAID[name] ?? [[]];
  return blocksOf(await post(fields), patient);
}

const THINKING = { thinking: { type: "enabled", budget_tokens: 1024 } };

describe.each([false, true])("what Gemini has sealed (streamed: %p)", (stream) => {
  test.each(Object.entries(SAID))("comes back to it where it was: %s", async (name, [, back]) => {
    const content = await said(name, { stream, ...THINKING });
    await (await post({ ...THINKING, messages: [USER, { role: "assistant", content }, results(content)] })).text();
    expect(sealing.contents[1]).toEqual({ role: "model", parts: [...back] });
  });

  test("is with its calls also where nobody asked for thoughts, and the client takes blocks as they stop", async () => {
    for (const name of ["calls behind a thought and a text", "calls behind a thought", "calls alone"]) {
      const content = await said(name, { stream }, false);
      expect(content.filter(({ type }) => type === "thinking")).toMatchObject([{ thinking: "" }]);
      await (await post({ messages: [USER, { role: "assistant", content }, results(content)] })).text();
      expect(sealing.contents[1]?.parts.filter(({ functionCall }) => functionCall)).toEqual([...CALLS]);
    }
    const text = await said("a text behind a thought", { stream });
    expect(text).toEqual([{ type: "text", text: "Let me see." }]);
  });

  test.each(["claude", "gpt"])("is kept from others, which would refuse it: %s", async (model) => {
    const content = await said("calls behind a thought and a text", { stream, ...THINKING });
    const messages = [USER, { role: "assistant", content }, results(content)];
    const answered = await post({ model, messages });
    expect(answered.status).toBe(200);
    expect(JSON.stringify(await answered.json())).toContain("The tools said: fine and fine");
    expect(JSON.stringify(script.seen.at(-1)?.body)).not.toMatch(/google:|c2VhbC|Hm\./);
  });
});

test("what another has signed is kept from Gemini", async () => {
  const content = [
    { type: "thinking", thinking: "Hm.", signature: "EqQBCkYIBxgCKkA=" },
    { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} },
  ];
  sealing.parts = [{ text: "Fine." }];
  await (await post({ messages: [USER, { role: "assistant", content }, results(content)] })).text();
  expect(sealing.contents[1]?.parts).toMatchObject([{ thoughtSignature: "skip_thought_signature_validator" }]);
});
