import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import type { Response as Answer, ResponseStreamEvent } from "openai/resources/responses/responses";
import { postgresMissing, startPostgres } from "../services/postgres.ts";
import { HeldUpstream } from "../upstreams/held.ts";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "./process.ts";

const SLOW_MS = 180_000;
/** What was answered is tried to be written meanwhile. On a machine that needs longer, this test sees less. */
const AWAY_MS = 1_500;
const server = await startPostgres();
const folder = newFolder();
const upstream = new HeldUpstream();
const embedding = { asked: 0, isAsked: Promise.withResolvers<void>(), mayAnswer: Promise.withResolvers<void>() };
const embedder = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(incoming) {
    const { input } = (await incoming.json()) as { input: string | string[] };
    embedding.asked++;
    embedding.isAsked.resolve();
    await embedding.mayAnswer.promise;
    const data = [input].flat().map((_, index) => ({ object: "embedding", index, embedding: [1, 0] }));
    return Response.json({ object: "list", model: "e", data, usage: { prompt_tokens: 10, total_tokens: 10 } });
  },
});
let turnpike: Turnpike | null = null;
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  await Promise.all([upstream.stop(), embedder.stop(true), server?.stop()]);
  folder.remove();
});

const prices = "input_cost_per_token: 0.000001, output_cost_per_token: 0.000002";
writeFileSync(
  join(folder.path, "turnpike.yaml"),
  `model_list:
  - model_name: m
    litellm_params: { model: openai/m, api_base: "${upstream.url}", api_key: sk-up, ${prices} }
  - model_name: e
    litellm_params: { model: openai/e, api_base: "http://127.0.0.1:${embedder.port}/v1", api_key: sk-up, input_cost_per_token: 0.000001 }
    model_info: { mode: embedding }
general_settings: { log_level: error }
`,
);

async function until(ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask().catch(() => false))) await Bun.sleep(100);
}

describe.skipIf(postgresMissing !== null)("PostgreSQL that is away for a moment", () => {
  test(
    "loses nothing that was paid for: a run, a response that is followed, a file and a call that is sent again are each asked for once, and end well",
    async () => {
      const env = { TURNPIKE_DATABASE_URL: (await server?.createDatabase()) ?? "" };
      turnpike = await startTurnpike(folder.path, env);
      const { url } = turnpike;
      const apiKey = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
      const { assistants, threads } = client.beta;

      const assistant = await assistants.create({ model: "m" });
      const thread = await threads.create({ messages: [{ role: "user", content: "run" }] });
      const run = await threads.runs.create(thread.id, { assistant_id: assistant.id });
      const store = await client.vectorStores.create({ embedding_model: "e" } as OpenAI.VectorStoreCreateParams);
      const file = await client.files.create({
        file: await toFile(Buffer.from("A heron."), "a.txt"),
        purpose: "assistants",
      });
      await client.vectorStores.files.create(store.id, { file_id: file.id });
      const stream = await client.responses.create({ model: "m", input: "story", background: true, stream: true });
      const events = stream[Symbol.asyncIterator]();
      const heard: ResponseStreamEvent[] = [];
      (await upstream.asked("story")).say("Once ");
      while (heard.at(-1)?.type !== "response.output_text.delta") heard.push((await events.next()).value);
      const named = () =>
        client.chat.completions
          .create(
            { model: "m", messages: [{ role: "user", content: "named" }] },
            { headers: { "idempotency-key": "named" } },
          )
          .withResponse();
      const first = named();
      await Promise.all([upstream.asked("run"), upstream.asked("named"), embedding.isAsked.promise]);

      await server?.kill();
      await until(async () => (await fetch(`${url}/health/readiness`)).status === 503);
      (await upstream.asked("run")).end("Said.");
      void upstream.asked("run", 2).then((again) => again.end("Said twice."));
      (await upstream.asked("story")).end("upon a time.");
      embedding.mayAnswer.resolve();
      (await upstream.asked("named")).end("Here.");
      void upstream.asked("named", 2).then((again) => again.end("Here again."));
      const { data: answer } = await first;
      await Bun.sleep(AWAY_MS);
      await server?.restart();

      for (let next = await events.next(); !next.done; next = await events.next()) heard.push(next.value);
      expect(heard.map(({ sequence_number }) => sequence_number)).toEqual(heard.map((_, at) => at));
      const { response } = heard.at(-1) as { response: Answer };
      expect(response).toMatchObject({ status: "completed" });
      expect(JSON.stringify(response.output)).toContain("Once upon a time.");

      await until(async () => (await fetch(`${url}/health/readiness`)).ok);
      const ended = await threads.runs.poll(run.id, { thread_id: thread.id }, { pollIntervalMs: 100 });
      expect(ended).toMatchObject({ status: "completed", usage: { prompt_tokens: 10, cost_nano: 20_000 } });
      const { data } = await threads.messages.list(thread.id);
      expect(data.map(({ content }) => (content[0] as { text?: { value: string } }).text?.value)).toEqual([
        "Said.",
        "run",
      ]);
      const again = await named();
      expect([again.data, again.response.headers.get("idempotent-replayed")]).toEqual([answer, "true"]);
      const read = await client.vectorStores.files.poll(store.id, file.id, { pollIntervalMs: 100 });
      expect(read.status).toBe("completed");
      const times = ["run", "story", "named"].map((said) => upstream.times(said));
      expect([...times, embedding.asked]).toEqual([1, 1, 1, 1]);
      const passages = await client.vectorStores.files.content(file.id, { vector_store_id: store.id });
      expect(passages.data).toHaveLength(1);

      turnpike.kill("SIGTERM");
      expect(await turnpike.exited).toBe(0);
      const verified = runTurnpike(folder.path, ["ledger", "verify"], env);
      expect([await verified.exited, verified.output().includes("differ")]).toEqual([0, false]);
    },
    SLOW_MS,
  );
});
