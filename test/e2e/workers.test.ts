import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isClean, renderBooks } from "../crash/report.ts";
import { runWorkerCrashes } from "../crash/worker-harness.ts";
import { postgresMissing, startPostgres } from "../services/postgres.ts";
import { findRedis, startRedis } from "../services/redis.ts";
import { chat, MASTER, many, newKey, request, statuses } from "./ask-workers.ts";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "./process.ts";
import { childrenOf } from "./worker-pids.ts";

/** Generous: the machine may be busy. */
const SLOW_MS = 240_000;
setDefaultTimeout(SLOW_MS);
const WORKERS = 3;
const yaml = (model: string): string => `
model_list:
  - model_name: ${model}
    litellm_params: { model: echo/chat }
    model_info: { free: true }
general_settings: { log_level: debug, max_event_loop_delay: 0, api_writes_per_minute: 0, api_reads_per_minute: 0 }
`;

const folders: ReturnType<typeof newFolder>[] = [];
const running: Omit<Turnpike, "url">[] = [];
afterAll(async () => {
  for (const turnpike of running) turnpike.kill("SIGTERM");
  await Promise.all(running.map(({ exited }) => exited));
  for (const folder of folders) folder.remove();
});

function folder(): string {
  const made = newFolder();
  folders.push(made);
  writeFileSync(join(made.path, "turnpike.yaml"), yaml("free"));
  return made.path;
}

async function start(path: string, env: Record<string, string> = {}): Promise<Turnpike> {
  const all = { TURNPIKE_MASTER_KEY: MASTER, TURNPIKE_WORKERS: String(WORKERS), ...env };
  const turnpike = await startTurnpike(path, all);
  running.push(turnpike);
  await turnpike.waitFor(/all workers serve/);
  return turnpike;
}

describe("a server with several workers", async () => {
  const path = folder();
  const turnpike = await start(path);

  test("prints one banner, and spreads calls over all of them", async () => {
    expect(turnpike.output().split("Address ")).toHaveLength(2);
    expect(turnpike.output()).toContain(`${WORKERS} processes`);
    expect(turnpike.output()).toContain(String(turnpike.pid));
    expect(childrenOf(turnpike.pid)).toHaveLength(WORKERS);
    const key = await newKey(turnpike);
    expect(await statuses(many(60, () => chat(turnpike, key)))).toEqual({ 200: 60 });
    const answering = new Set(
      [...turnpike.output().matchAll(/"worker":(\d+)[^\n]*chat\/completions[^\n]*"msg":"answered"/g)].map(([, n]) => n),
    );
    expect([...answering].sort()).toEqual(["1", "2", "3"]);
  });

  test("tells in /metrics of all of them together", async () => {
    const counted = async (): Promise<number> => {
      const metrics = await (await request(turnpike, "/metrics", MASTER)).text();
      expect(metrics).toMatch(new RegExp(`^turnpike_workers ${WORKERS}$`, "m"));
      expect(metrics).toMatch(new RegExp(`^turnpike_limits_processes ${WORKERS}$`, "m"));
      expect(metrics).toMatch(/^turnpike_build_info\{version="[^"]+"\} 1$/m);
      const line = /^turnpike_http_requests_total\{method="POST",path="\/v1\/chat\/completions",status="200"\} (\d+)$/m;
      return Number(line.exec(metrics)?.[1] ?? 0);
    };
    const before = await counted();
    await statuses(many(30, () => chat(turnpike, MASTER)));
    expect(await counted()).toBe(before + 30);
    expect(await counted()).toBe(before + 30);
  });

  test("holds a limit of requests exactly, whichever worker is asked", async () => {
    const key = await newKey(turnpike, { rpm_limit: 20 });
    expect(await statuses(many(90, () => chat(turnpike, key)))).toEqual({ 200: 20, 429: 70 });
  });

  test("holds a limit of calls at one time, and a place is free for all when a call ends", async () => {
    const key = await newKey(turnpike, { max_parallel_requests: 4 });
    const endless = { stream: true, echo_fault: { token_delay_ms: 30_000 } };
    const leave = new AbortController();
    const calls = await Promise.all(many(24, () => chat(turnpike, key, endless, leave.signal)));
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(4);
    expect((await chat(turnpike, key)).status).toBe(429);
    leave.abort();
    while ((await chat(turnpike, key)).status !== 200) await Bun.sleep(20);
  });

  test("refuses a key that was deleted in every worker with the next call", async () => {
    const key = await newKey(turnpike);
    expect(await statuses(many(40, () => chat(turnpike, key)))).toEqual({ 200: 40 });
    expect((await request(turnpike, "/key/delete", MASTER, { keys: [key] })).status).toBe(200);
    expect(await statuses(many(40, () => chat(turnpike, key)))).toEqual({ 401: 40 });
  });

  test("counts wrong passwords over all workers", async () => {
    const wrong = (): Promise<Response> =>
      request(turnpike, "/api/auth/token", "", { email: "nobody@example.com", password: "a wrong one, and long" });
    for (let i = 0; i < 5; i++) expect((await wrong()).status).toBe(401);
    // Each for itself, the workers would let ten more through.
    expect((await statuses(many(12, wrong)))[429]).toBeGreaterThanOrEqual(9);
  });

  test("knows a model in every worker when the answer says that it was added", async () => {
    const added = await request(turnpike, "/model/new", MASTER, {
      model_name: "added",
      litellm_params: { model: "echo/chat" },
    });
    expect(added.status).toBe(200);
    expect(await statuses(many(30, () => chat(turnpike, MASTER, { model: "added" })))).toEqual({ 200: 30 });
  });

  test("takes over a new configuration in every worker, asked by the API or by SIGHUP", async () => {
    writeFileSync(join(path, "turnpike.yaml"), yaml("second"));
    expect((await request(turnpike, "/api/admin/config/reload", MASTER, {})).status).toBe(200);
    expect(await statuses(many(30, () => chat(turnpike, MASTER, { model: "second" })))).toEqual({ 200: 30 });
    writeFileSync(join(path, "turnpike.yaml"), yaml("free"));
    turnpike.kill("SIGHUP");
    await turnpike.waitFor(/(?:configuration reloaded[\s\S]*?){6}/);
    expect(await statuses(many(30, () => chat(turnpike, MASTER)))).toEqual({ 200: 30 });
  });

  test("a worker that dies comes back with the configuration of the others while the file is broken", async () => {
    writeFileSync(join(path, "turnpike.yaml"), yaml("third"));
    expect((await request(turnpike, "/api/admin/config/reload", MASTER, {})).status).toBe(200);
    writeFileSync(join(path, "turnpike.yaml"), "model_list: [\n");
    process.kill(childrenOf(turnpike.pid)[0] ?? 0, "SIGKILL");
    await turnpike.waitFor(/a worker is back/);
    expect(await statuses(many(40, () => chat(turnpike, MASTER, { model: "third" })))).toEqual({ 200: 40 });
    writeFileSync(join(path, "turnpike.yaml"), yaml("free"));
    expect((await request(turnpike, "/api/admin/config/reload", MASTER, {})).status).toBe(200);
    expect(await statuses(many(40, () => chat(turnpike, MASTER)))).toEqual({ 200: 40 });
  });

  test("keeps other servers out of its folder and off its port, in words", async () => {
    const second = runTurnpike(path, ["serve", "--port", "0", "--workers", "2"]);
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(`pid ${turnpike.pid}`);
    const { port } = new URL(turnpike.url);
    for (const workers of ["1", "2"]) {
      const other = runTurnpike(folder(), ["serve", "--port", port, "--workers", workers]);
      expect(await other.exited).toBe(1);
      expect(other.output()).toContain(`${port} is in use already`);
    }
  });

  test("lets a stream finish when it is stopped, and ends with 0", async () => {
    const streamed = await chat(turnpike, MASTER, {
      stream: true,
      messages: [{ role: "user", content: "word ".repeat(60) }],
      echo_fault: { token_delay_ms: 20 },
    });
    turnpike.kill("SIGTERM");
    expect(await streamed.text()).toEndWith("data: [DONE]\n\n");
    expect(await turnpike.exited).toBe(0);
  });
});

const missing = postgresMissing !== null || findRedis() === null;
if (missing) console.log("skip: PostgreSQL or Redis is not installed");

test.skipIf(missing)("the same over PostgreSQL and Redis, beside another server of the installation", async () => {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const env = {
    TURNPIKE_DATABASE_URL: (await postgres?.createDatabase()) ?? "",
    TURNPIKE_REDIS_URL: redis?.url ?? "",
    TURNPIKE_SECRET: "a-secret-that-all-processes-share",
  };
  const [first, second] = [await start(folder(), env), await start(folder(), env)];
  const key = await newKey(first, { rpm_limit: 20 });
  const calls = many(90, () => chat(Math.random() < 0.5 ? first : second, key));
  expect(await statuses(calls)).toEqual({ 200: 20, 429: 70 });
  const revoked = await newKey(first);
  expect(await statuses(many(20, () => chat(first, revoked)))).toEqual({ 200: 20 });
  expect((await request(first, "/key/delete", MASTER, { keys: [revoked] })).status).toBe(200);
  expect(await statuses(many(20, () => chat(first, revoked)))).toEqual({ 401: 20 });
  for (const turnpike of [first, second]) {
    turnpike.kill("SIGTERM");
    expect(await turnpike.exited).toBe(0);
  }
  await Promise.all([postgres?.stop(), redis?.stop()]);
});

test("no call is refused while further workers begin", async () => {
  const turnpike = await startTurnpike(folder(), { TURNPIKE_MASTER_KEY: MASTER, TURNPIKE_WORKERS: "4" });
  running.push(turnpike);
  const seen = new Set<number>();
  while (!turnpike.output().includes("all workers serve")) {
    for (const { status } of await Promise.all(many(8, () => chat(turnpike, MASTER)))) seen.add(status);
  }
  expect([...seen]).toEqual([200]);
});

test("workers whose supervisor is killed end too, and the folder is free for the next server", async () => {
  const path = folder();
  const first = await start(path);
  const workers = childrenOf(first.pid);
  first.kill("SIGKILL");
  await first.exited;
  const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);
  while (workers.some(isThere)) await Bun.sleep(20);
  const second = await start(path);
  expect((await chat(second, MASTER)).status).toBe(200);
});

test("a configuration with faults ends it before any worker", async () => {
  const path = folder();
  writeFileSync(join(path, "turnpike.yaml"), "general_settings:\n  workers: some\n");
  const program = runTurnpike(path, ["serve", "--port", "0"]);
  expect(await program.exited).toBe(1);
  expect(program.output()).toContain("turnpike.yaml:2:12");
});

test("workers that are killed under load come back, and no call is lost or charged twice", async () => {
  const report = await runWorkerCrashes({ workers: 2, runs: 6, seed: Date.now() % 1_000_000, clients: 12 });
  if (!isClean(report)) throw new Error(renderBooks(report));
  expect(report.books.byStatus.succeeded ?? 0).toBeGreaterThan(0);
  // The others went on meanwhile.
  for (const { whole } of report.runs) expect(whole).toBeGreaterThan(0);
});
