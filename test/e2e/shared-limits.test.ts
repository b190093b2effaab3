import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { postgresMissing, startPostgres } from "../services/postgres.ts";
import { findRedis, type RedisServer, startRedis } from "../services/redis.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const SLOW_MS = 180_000;
const MASTER = "sk-master-key-of-the-shared-limits";
const LIMIT = 200;
const MODELS = `
model_list:
  - model_name: free
    litellm_params: { model: echo/chat }
    model_info: { free: true }
general_settings: { log_level: error, max_event_loop_delay: 0 }
`;

const missing = postgresMissing !== null || findRedis() === null;
if (missing) console.log("skip: PostgreSQL or Redis is not installed");

const folders: ReturnType<typeof newFolder>[] = [];
const running: Turnpike[] = [];
const redisServers: RedisServer[] = [];
const postgres = missing ? null : await startPostgres();
afterAll(async () => {
  for (const turnpike of running) turnpike.kill("SIGTERM");
  await Promise.all(running.map(({ exited }) => exited));
  await Promise.all([postgres?.stop(), ...redisServers.map((server) => server.stop())]);
  for (const folder of folders) folder.remove();
});

async function serveRedis(formerUrl?: string): Promise<RedisServer> {
  const server = await startRedis(formerUrl);
  if (!server) throw new Error("found, yet not started");
  redisServers.push(server);
  return server;
}

async function start(env: Record<string, string>): Promise<Turnpike> {
  const folder = newFolder();
  folders.push(folder);
  writeFileSync(join(folder.path, "turnpike.yaml"), MODELS);
  const turnpike = await startTurnpike(folder.path, { TURNPIKE_MASTER_KEY: MASTER, ...env });
  running.push(turnpike);
  return turnpike;
}

const post = (turnpike: Turnpike, path: string, key: string, body: object): Promise<Response> =>
  fetch(`${turnpike.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function newKey(turnpike: Turnpike): Promise<string> {
  const response = await post(turnpike, "/key/generate", MASTER, { rpm_limit: LIMIT });
  return ((await response.json()) as { key: string }).key;
}

/** Waits until both processes count together, or both alone. */
async function until(turnpikes: readonly Turnpike[], shared: boolean): Promise<void> {
  for (const turnpike of turnpikes) {
    for (;;) {
      const headers = { authorization: `Bearer ${MASTER}` };
      const metrics = await (await fetch(`${turnpike.url}/metrics`, { headers })).text();
      const isShared = /^turnpike_limits_shared 1$/m.test(metrics);
      if (isShared === shared && (!shared || /^turnpike_limits_processes 2$/m.test(metrics))) break;
      await Bun.sleep(20);
    }
  }
}

/** How many of twice as many calls as are allowed are let in, when all processes are called at once. */
async function letIn(turnpikes: readonly Turnpike[], key: string): Promise<number> {
  let count = 0;
  const client = async (turnpike: Turnpike, calls: number): Promise<void> => {
    for (let i = 0; i < calls; i++) {
      const body = { model: "free", messages: [{ role: "user", content: "hello" }] };
      const response = await post(turnpike, "/v1/chat/completions", key, body);
      await response.arrayBuffer();
      if (response.status === 200) count++;
      else expect(response.status).toBe(429);
    }
  };
  const clients = turnpikes.flatMap((turnpike) => Array.from({ length: 8 }, () => client(turnpike, LIMIT / 8)));
  await Promise.all(clients);
  return count;
}

describe.skipIf(missing)("two processes over one Redis", () => {
  test(
    "hold a limit together, each its share while Redis is gone or stands still, and together again when it is back",
    async () => {
      const redis = await serveRedis();
      const env = {
        TURNPIKE_DATABASE_URL: (await postgres?.createDatabase()) ?? "",
        TURNPIKE_SECRET: "a-secret-that-both-processes-share",
        TURNPIKE_REDIS_URL: redis.url,
      };
      const first = await start(env);
      const both = [first, await start(env)];
      await until(both, true);
      const within = (count: number, share: number): void => {
        expect(count).toBeGreaterThanOrEqual(LIMIT * (1 - share));
        expect(count).toBeLessThanOrEqual(LIMIT * (1 + share));
      };
      within(await letIn(both, await newKey(first)), 0.01);

      await redis.stop();
      await until(both, false);
      const during = await newKey(first);
      const gone = await letIn(both, during);
      within(gone, 0.5);

      const empty = await serveRedis(redis.url);
      await until(both, true);
      // What was taken meanwhile is known: the minute's limit is used up.
      expect(gone + (await letIn(both, during))).toBeLessThanOrEqual(LIMIT * 1.5);
      within(await letIn(both, await newKey(first)), 0.01);

      empty.pause();
      await until(both, false);
      within(await letIn(both, await newKey(first)), 0.5);
      empty.resume();
      await until(both, true);
      within(await letIn(both, await newKey(first)), 0.01);
    },
    SLOW_MS,
  );
});
