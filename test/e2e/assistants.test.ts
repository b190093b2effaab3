import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const folder = newFolder();
let turnpike: Turnpike;
let client: OpenAI;
let apiKey = "";

/** The first call is never answered; later ones are. */
let calls = 0;
const called = Promise.withResolvers<void>();
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch() {
    calls++;
    if (calls === 1) {
      called.resolve();
      return new Promise<Response>(() => undefined);
    }
    const chunk = (delta: object, finish: string | null, more: object = {}) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
    const usage = { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
    const body = `${chunk({ role: "assistant", content: "Here again." }, null)}${chunk({}, "stop", usage)}data: [DONE]\n\n`;
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});

const open = async (): Promise<void> => {
  turnpike = await startTurnpike(folder.path);
  apiKey = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? apiKey;
  client = new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey, maxRetries: 0 });
};

beforeAll(async () => {
  const address = `http://127.0.0.1:${upstream.port}/v1`;
  const yaml = `model_list:
  - model_name: slow
    litellm_params: { model: openai/m, api_base: "${address}", api_key: sk-up }
    model_info: { free: true }
`;
  writeFileSync(join(folder.path, "turnpike.yaml"), yaml);
  await open();
});
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  await upstream.stop(true);
  folder.remove();
});

describe("assistants of the real process", () => {
  test("work with the official client's helpers", async () => {
    const { assistants, threads } = client.beta;
    const tool = { type: "function" as const, function: { name: "get_weather", parameters: { type: "object" } } };
    const assistant = await assistants.create({ model: "echo", tools: [tool] });
    const hello = { messages: [{ role: "user" as const, content: "Hello!" }] };
    const polled = await threads.createAndRunPoll(
      { assistant_id: assistant.id, thread: hello },
      { pollIntervalMs: 20 },
    );
    expect(polled.status).toBe("completed");
    const next = { role: "user" as const, content: "get weather" };
    await threads.messages.create(polled.thread_id, next);
    const [asked, of] = [{ assistant_id: assistant.id }, { thread_id: polled.thread_id }];
    const stopped = await threads.runs.createAndPoll(polled.thread_id, asked, { pollIntervalMs: 20 });
    const [first] = stopped.required_action?.submit_tool_outputs.tool_calls ?? [];
    const output = { tool_call_id: first?.id ?? "", output: "rain" };
    const gone = await threads.runs.submitToolOutputsAndPoll(
      stopped.id,
      { ...of, tool_outputs: [output] },
      { pollIntervalMs: 20 },
    );
    expect(gone.status).toBe("completed");
    const stream = threads.createAndRunStream({ assistant_id: assistant.id, thread: hello });
    const [said] = await stream.finalMessages();
    expect(said?.content).toMatchObject([{ type: "text", text: { value: "You said: Hello!" } }]);
    const thread = await threads.create({ messages: [{ role: "user", content: "get weather" }] });
    const asking = threads.runs.stream(thread.id, { assistant_id: assistant.id });
    const waiting = await asking.finalRun();
    expect(waiting.status).toBe("requires_action");
    const tool_outputs = (waiting.required_action?.submit_tool_outputs.tool_calls ?? []).map(({ id }) => ({
      tool_call_id: id,
      output: "sunny",
    }));
    const rest = threads.runs.submitToolOutputsStream(waiting.id, { thread_id: thread.id, tool_outputs });
    expect(JSON.stringify(await rest.finalMessages())).toContain("sunny");
    const ids: string[] = [];
    for await (const message of threads.messages.list(thread.id, { limit: 1 })) ids.push(message.id);
    expect(ids).toHaveLength(2);
  });

  test("take files through the client's helper", async () => {
    const store = await client.vectorStores.create({});
    const file = new File(["The kettle is descaled with vinegar."], "kitchen.md");
    const read = await client.vectorStores.files.uploadAndPoll(store.id, file, { pollIntervalMs: 20 });
    expect(read.status).toBe("completed");
    const more = [new File(["Tea wants water."], "tea.txt"), new File(["Salt keeps."], "salt.txt")];
    const batch = await client.vectorStores.fileBatches.uploadAndPoll(
      store.id,
      { files: more },
      { pollIntervalMs: 20 },
    );
    expect(batch.file_counts).toMatchObject({ completed: 2, total: 2 });
    const names: string[] = [];
    for await (const { id } of client.vectorStores.files.list(store.id, { limit: 1 })) names.push(id);
    expect(names).toHaveLength(3);
    const { data } = await client.vectorStores.search(store.id, { query: "kettle" });
    expect(data[0]?.filename).toBe("kitchen.md");
  }, 60_000);

  test("survive the end of the process: a run in the middle is taken up again", async () => {
    const { assistants, threads } = client.beta;
    const assistant = await assistants.create({ model: "slow" });
    const thread = { messages: [{ role: "user" as const, content: "Are you there?" }] };
    const run = await threads.createAndRun({ assistant_id: assistant.id, thread });
    await called.promise;
    turnpike.kill("SIGKILL");
    await turnpike.exited;
    await open();
    const of = { thread_id: run.thread_id };
    const done = await client.beta.threads.runs.poll(run.id, of, { pollIntervalMs: 200 });
    expect(done.status).toBe("completed");
    const { data } = await client.beta.threads.messages.list(run.thread_id);
    expect(data.map(({ content }) => content[0]?.type === "text" && content[0].text.value)).toEqual([
      "Here again.",
      "Are you there?",
    ]);
  }, 120_000);
});
