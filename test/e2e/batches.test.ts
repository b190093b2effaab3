import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { chat, create, request, resultsIn } from "../batches/batch-files.ts";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "./process.ts";

const SLOW_MS = 180_000;
const POLL_MS = 200;
const folder = newFolder();
let turnpike: Turnpike | null = null;

/** What is asked for the first time and has `slow` in it is never answered. */
const asked = new Map<string, number>();
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(incoming) {
    const { messages } = (await incoming.json()) as ReturnType<typeof chat>;
    const said = messages[0]?.content ?? "";
    const times = (asked.get(said) ?? 0) + 1;
    asked.set(said, times);
    if (times === 1 && said.startsWith("slow")) return new Promise<Response>(() => undefined);
    const message = { role: "assistant", content: `On ${said}.` };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    return Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage });
  },
});

afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  await upstream.stop(true);
  folder.remove();
});

writeFileSync(
  join(folder.path, "turnpike.yaml"),
  `model_list:
  - model_name: m
    litellm_params:
      model: openai/m
      api_base: "http://127.0.0.1:${upstream.port}/v1"
      api_key: sk-up
      input_cost_per_token: 0.000001
      output_cost_per_token: 0.000002
general_settings: { log_level: warn }
`,
);

let apiKey = "";
async function open(args: string[] = []): Promise<OpenAI> {
  turnpike = await startTurnpike(folder.path, {}, args);
  apiKey = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? apiKey;
  return new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey, maxRetries: 0 });
}

async function until(client: OpenAI, id: string, isSo: (batch: OpenAI.Batch) => boolean): Promise<OpenAI.Batch> {
  for (;;) {
    const batch = await client.batches.retrieve(id);
    if (isSo(batch)) return batch;
    await Bun.sleep(POLL_MS);
  }
}

test(
  "a process that is killed in the middle of a batch loses nothing of it and answers nothing twice, and its books agree",
  async () => {
    let client = await open();
    const words = ["quick1", "slow1", "quick2", "slow2", "quick3"];
    const { id } = await create(
      client,
      words.map((word) => request(word, chat(word, "m"))),
    );
    await until(client, id, ({ request_counts }) => request_counts?.completed === 3);
    while (!asked.has("slow1") || !asked.has("slow2")) await Bun.sleep(POLL_MS);
    turnpike?.kill("SIGKILL");
    await turnpike?.exited;

    // With two workers: who takes it up is left to chance, and only one does.
    client = await open(["--workers", "2"]);
    const done = await until(client, id, ({ status }) => status !== "in_progress" && status !== "finalizing");
    expect(done).toMatchObject({
      status: "completed",
      error_file_id: null,
      request_counts: { total: 5, completed: 5, failed: 0 },
    });
    const answers = await resultsIn(client, done.output_file_id);
    expect([...answers.keys()]).toEqual(words);
    for (const word of words) {
      expect(answers.get(word)?.response?.body).toMatchObject({ choices: [{ message: { content: `On ${word}.` } }] });
      expect([word, asked.get(word)]).toEqual([word, word.startsWith("slow") ? 2 : 1]);
    }

    turnpike?.kill("SIGTERM");
    expect(await turnpike?.exited).toBe(0);
    const verified = runTurnpike(folder.path, ["ledger", "verify"]);
    expect(await verified.exited).toBe(0);
  },
  SLOW_MS,
);
