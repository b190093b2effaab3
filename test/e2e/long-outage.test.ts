import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI from "openai";
import { LEASE_MS } from "../../src/lib/leased-task-runner.ts";
import { chat, create, request } from "../batches/batch-files.ts";
import { postgresMissing, startPostgres } from "../services/postgres.ts";
import { HeldUpstream } from "../upstreams/held.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const SLOW_MS = 240_000;
const POLL_MS = 200;
/** So many of each kind that both workers have some, and look at those of the other. */
const EACH = 6;

const server = await startPostgres();
const folder = newFolder();
const upstream = new HeldUpstream();
let turnpike: Turnpike | null = null;
afterAll(async () => {
  turnpike?.kill("SIGKILL");
  await turnpike?.exited;
  await Promise.all([upstream.stop(), server?.stop()]);
  folder.remove();
});

writeFileSync(
  join(folder.path, "turnpike.yaml"),
  `model_list:
  - model_name: m
    litellm_params: { model: openai/m, api_base: "${upstream.url}", api_key: sk-up }
    model_info: { free: true }
general_settings: { max_event_loop_delay: 0 }
`,
);

describe.skipIf(postgresMissing !== null)("PostgreSQL that is away for longer than a lease lasts", () => {
  test(
    "takes nothing from processes that live: responses and lines that were answered meanwhile are kept, and asked for once",
    async () => {
      turnpike = await startTurnpike(folder.path, { TURNPIKE_DATABASE_URL: (await server?.createDatabase()) ?? "" }, [
        ...["--workers", "2"],
      ]);
      await turnpike.waitFor(/all workers serve/);
      const [, apiKey = ""] = await turnpike.waitFor(/Demo key +(sk-\w+)/);
      // Each call by a connection of its own: which worker has it is left to chance.
      const client = new OpenAI({
        ...{ baseURL: `${turnpike.url}/v1`, apiKey, maxRetries: 0 },
        defaultHeaders: { connection: "close" },
      });
      const responses: string[] = [];
      const batches: string[] = [];
      const words: string[] = [];
      for (let at = 0; at < EACH; at++) {
        words.push(`response ${at}`, `line ${at}`);
        responses.push((await client.responses.create({ model: "m", input: `response ${at}`, background: true })).id);
      }
      for (let at = 0; at < 3; at++) {
        const lines = [2 * at, 2 * at + 1].map((line) => request(`${line}`, chat(`line ${line}`, "m")));
        batches.push((await create(client, lines)).id);
      }
      await Promise.all(words.map((word) => upstream.asked(word)));

      await server?.kill();
      for (const word of words) (await upstream.asked(word)).end("Said.");
      for (const word of words) void upstream.asked(word, 2).then((again) => again.end("Said twice."));
      await Bun.sleep(LEASE_MS + 2_000);
      await server?.restart();

      const isOver = async (): Promise<boolean> => {
        const kept = await Promise.all(responses.map((id) => client.responses.retrieve(id)));
        const made = await Promise.all(batches.map((id) => client.batches.retrieve(id)));
        const isOpen = (status: string | undefined) => /queued|in_progress|finalizing|validating/.test(status ?? "");
        return [...kept, ...made].every(({ status }) => !isOpen(status));
      };
      while (!(await isOver().catch(() => false))) await Bun.sleep(POLL_MS);
      for (const id of responses) expect((await client.responses.retrieve(id)).status).toBe("completed");
      for (const id of batches) {
        expect(await client.batches.retrieve(id)).toMatchObject({
          status: "completed",
          request_counts: { completed: 2, failed: 0 },
        });
      }
      expect(words.map((word) => [word, upstream.times(word)])).toEqual(words.map((word) => [word, 1]));
      turnpike.kill("SIGTERM");
      expect(await turnpike.exited).toBe(0);
    },
    SLOW_MS,
  );
});
