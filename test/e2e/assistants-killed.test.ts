import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "./process.ts";

const SLOW_MS = 180_000;
const poll = { pollIntervalMs: 100 };
const folder = newFolder();
let turnpike: Turnpike | null = null;

/** What is asked for the first time is left in the middle: before a word, after some, or before a vector. */
const asked = new Map<string, number>();
const waits: (() => void)[] = [];
const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer });

afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  await upstream.stop(true);
  folder.remove();
});

async function answer(request: Request): Promise<Response> {
  const body = (await request.json()) as { messages?: { role: string; content: string }[]; input?: string[] };
  const said = body.messages?.findLast(({ role }) => role === "user")?.content ?? "vectors";
  const times = (asked.get(said) ?? 0) + 1;
  asked.set(said, times);
  for (const wake of waits.splice(0)) wake();
  const isLeft = times === 1 && said !== "call";
  if (isLeft && said !== "story") return new Promise<Response>(() => undefined);
  if (body.input) {
    const data = body.input.map((_, index) => ({ object: "embedding", index, embedding: [1, 2, 3] }));
    return Response.json({ object: "list", model: "e", data, usage: { prompt_tokens: 1, total_tokens: 1 } });
  }
  const called = body.messages?.some(({ role }) => role === "tool");
  const call = { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
  const head =
    said === "call" && !called ? chunk({ tool_calls: [call] }, null) : chunk({ content: `On ${said}.` }, null);
  if (!isLeft) {
    const usage = { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };
    return events(`${head}${chunk({}, said === "call" && !called ? "tool_calls" : "stop", usage)}data: [DONE]\n\n`);
  }
  return events(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(head)) }));
}

const chunk = (delta: object, finish_reason: string | null, more: object = {}): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
const events = (body: string | ReadableStream): Response =>
  new Response(body as Bun.BodyInit, { headers: { "content-type": "text/event-stream" } });

async function whenAsked(...texts: string[]): Promise<void> {
  while (!texts.every((text) => asked.has(text))) {
    const next = Promise.withResolvers<void>();
    waits.push(next.resolve);
    await next.promise;
  }
}

let apiKey = "";
async function open(args: string[] = []): Promise<OpenAI> {
  turnpike = await startTurnpike(folder.path, {}, args);
  apiKey = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? apiKey;
  return new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey, maxRetries: 0 });
}

const at = `api_base: "http://127.0.0.1:${upstream.port}/v1", api_key: sk-up`;
writeFileSync(
  join(folder.path, "turnpike.yaml"),
  `model_list:
  - model_name: m
    litellm_params: { model: openai/m, ${at}, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
  - model_name: e
    litellm_params: { model: openai/e, ${at}, input_cost_per_token: 0.000001, output_cost_per_token: 0 }
    model_info: { mode: embedding }
general_settings: { log_level: warn }
`,
);

const tools = [{ type: "function" as const, function: { name: "f", parameters: { type: "object" } } }];
const textsIn = async (client: OpenAI, threadId: string) =>
  (await client.beta.threads.messages.list(threadId, { order: "asc" })).data.map(({ status, content }) => [
    status,
    content[0]?.type === "text" ? content[0].text.value : "",
  ]);

test(
  "a process that is killed in every phase of runs and of a file loses none of them, says nothing twice, and its books agree",
  async () => {
    let client = await open();
    const { id } = await client.beta.assistants.create({ model: "m", tools });
    const begin = (content: string) =>
      client.beta.threads.createAndRun({ assistant_id: id, thread: { messages: [{ role: "user", content }] } });
    const [silent, story] = [await begin("silence"), await begin("story")];
    const called = await begin("call");
    const waiting = await client.beta.threads.runs.poll(called.id, { thread_id: called.thread_id }, poll);
    const store = await client.vectorStores.create({});
    const file = await client.files.create({ file: new File(["A heron."], "heron.txt"), purpose: "assistants" });
    await client.vectorStores.files.create(store.id, { file_id: file.id });
    await whenAsked("silence", "story", "vectors");
    while ((await textsIn(client, story.thread_id)).length < 2) await Bun.sleep(20);
    turnpike?.kill("SIGKILL");
    await turnpike?.exited;

    // With two workers: who takes what up, and who is asked to go on, is left to chance.
    client = await open(["--workers", "2"]);
    const { threads } = client.beta;
    const outputs = waiting.required_action?.submit_tool_outputs.tool_calls.map((call) => ({
      tool_call_id: call.id,
      output: "sun",
    }));
    const submits = Array.from({ length: 8 }, () =>
      threads.runs
        .submitToolOutputs(called.id, { thread_id: called.thread_id, tool_outputs: outputs ?? [] })
        .then(() => 200)
        .catch((error: { status: number }) => error.status),
    );
    expect((await Promise.all(submits)).sort()).toEqual([200, ...Array(7).fill(400)]);
    for (const [run, said] of [
      [silent, "silence"],
      [story, "story"],
      [called, "call"],
    ] as const) {
      expect((await threads.runs.poll(run.id, { thread_id: run.thread_id }, poll)).status).toBe("completed");
      expect(await textsIn(client, run.thread_id)).toEqual([
        ["completed", said],
        ["completed", `On ${said}.`],
      ]);
    }
    expect(await client.vectorStores.files.poll(store.id, file.id, poll)).toMatchObject({ status: "completed" });
    expect((await client.vectorStores.search(store.id, { query: "heron" })).data).toHaveLength(1);
    turnpike?.kill("SIGTERM");
    await turnpike?.exited;
    const verified = runTurnpike(folder.path, ["ledger", "verify"]);
    expect([await verified.exited, verified.output().includes("differ")]).toEqual([0, false]);
  },
  SLOW_MS,
);
