import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { postgresMissing, startPostgres } from "../services/postgres.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";
import { childrenOf } from "./worker-pids.ts";

const MASTER = "sk-master-key-of-the-outage-test";
const server = await startPostgres();
const folder = newFolder();
afterAll(async () => {
  await server?.stop();
  folder.remove();
});

const chat = (turnpike: Turnpike, key: string, model = "echo") =>
  fetch(`${turnpike.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "x-gw-api-key": key, "content-type": "application/json", connection: "close" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] }),
  });
const logIn = (turnpike: Turnpike) =>
  fetch(`${turnpike.url}/api/auth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "admin@localhost", password: "a-long-password" }),
  });

/** Asks until the answer is as wanted: recovery takes a moment, and nothing here depends on how long. */
async function eventually(ask: () => Promise<Response>, status: number): Promise<void> {
  for (let left = 200; left > 0; left--) {
    if ((await ask()).status === status) return;
    await Bun.sleep(100);
  }
  expect((await ask()).status).toBe(status);
}

describe.skipIf(postgresMissing !== null)("PostgreSQL", () => {
  test("down at the start, up later, lost and back: 503 in between, never 401, and no restart", async () => {
    const url = (await server?.createDatabase()) ?? "";
    await server?.kill();
    const turnpike = await startTurnpike(folder.path, {
      TURNPIKE_DATABASE_URL: url,
      TURNPIKE_MASTER_KEY: MASTER,
      TURNPIKE_ADMIN_PASSWORD: "a-long-password",
    });
    try {
      // Down at the start: what needs no database works, the rest says whose fault it is.
      expect(turnpike.output()).not.toContain("Demo key");
      expect((await fetch(`${turnpike.url}/health/liveliness`)).status).toBe(200);
      expect((await fetch(`${turnpike.url}/health/readiness`)).status).toBe(503);
      expect((await chat(turnpike, MASTER)).status).toBe(200);
      const stranger = await chat(turnpike, `sk-${"y".repeat(30)}`);
      expect(stranger.status).toBe(503);
      expect(await stranger.json()).toMatchObject({ error: { name: "APIConnectionError" } });
      const login = await logIn(turnpike);
      expect(login.status).toBe(503);
      expect(await login.json()).toMatchObject({ code: "DB_TIMEOUT" });

      // Up later: it makes itself ready and prints what the first start prints.
      await server?.restart();
      const [, demoKey = ""] = await turnpike.waitFor(/Demo key +(sk-\w+)/);
      await eventually(() => fetch(`${turnpike.url}/health/readiness`), 200);
      expect((await chat(turnpike, demoKey)).status).toBe(200);
      expect((await logIn(turnpike)).status).toBe(200);

      // Lost: keys that were seen go on, others are 503.
      await server?.kill();
      await eventually(() => fetch(`${turnpike.url}/health/readiness`), 503);
      expect((await chat(turnpike, demoKey)).status).toBe(200);
      expect((await chat(turnpike, `sk-${"z".repeat(30)}`)).status).toBe(503);
      expect((await logIn(turnpike)).status).toBe(503);

      // Back.
      await server?.restart();
      await eventually(() => logIn(turnpike), 200);
      expect((await chat(turnpike, `sk-${"z".repeat(30)}`)).status).toBe(401);
      turnpike.kill("SIGTERM");
      expect(await turnpike.exited).toBe(0);
    } finally {
      turnpike.kill("SIGKILL");
      await turnpike.exited;
    }
  }, 60_000);

  test("silent, as behind a dead network: readiness is 503 long before a call would be", async () => {
    const url = (await server?.createDatabase()) ?? "";
    const own = newFolder();
    writeFileSync(join(own.path, "turnpike.yaml"), "general_settings: {database_connection_timeout: 110}\n");
    const turnpike = await startTurnpike(own.path, { TURNPIKE_DATABASE_URL: url });
    const readiness = () => fetch(`${turnpike.url}/health/readiness`);
    try {
      await eventually(readiness, 200);
      server?.pause();
      const silent = await readiness();
      expect(silent.status).toBe(503);
      expect(await silent.json()).toMatchObject({ db: "disconnected", reason: expect.any(String) });
      server?.resume();
      await eventually(readiness, 200);
    } finally {
      server?.resume();
      turnpike.kill("SIGKILL");
      await turnpike.exited;
      own.remove();
    }
  }, 60_000);

  test("lost, and a worker with it: those that know the keys answer all calls until it is back", async () => {
    const url = (await server?.createDatabase()) ?? "";
    const own = newFolder();
    // Free: what is leased of the credit does not matter here.
    const model = "{model_name: free, litellm_params: {model: echo/chat}, model_info: {free: true}}";
    writeFileSync(
      join(own.path, "turnpike.yaml"),
      `model_list: [${model}]\ngeneral_settings: {max_event_loop_delay: 0}\n`,
    );
    const turnpike = await startTurnpike(own.path, { TURNPIKE_DATABASE_URL: url }, ["--workers", "2"]);
    try {
      await turnpike.waitFor(/all workers serve/);
      const [, demoKey = ""] = await turnpike.waitFor(/Demo key +(sk-\w+)/);
      const calls = async (): Promise<number[]> => {
        const answers = await Promise.all(Array.from({ length: 40 }, () => chat(turnpike, demoKey, "free")));
        return [...new Set(answers.map(({ status }) => status))];
      };
      expect(await calls()).toEqual([200]);
      await server?.kill();
      process.kill(childrenOf(turnpike.pid)[0] ?? 0, "SIGKILL");
      await turnpike.waitFor(/starting without it and trying again/);
      for (let round = 0; round < 5; round++) expect(await calls()).toEqual([200]);
      await server?.restart();
      await turnpike.waitFor(/a worker is back/);
      expect(await calls()).toEqual([200]);
      turnpike.kill("SIGTERM");
      expect(await turnpike.exited).toBe(0);
    } finally {
      turnpike.kill("SIGKILL");
      await turnpike.exited;
      own.remove();
    }
  }, 60_000);

  test("of another installation is refused in words", async () => {
    const url = (await server?.createDatabase()) ?? "";
    const first = await startTurnpike(folder.path, { TURNPIKE_DATABASE_URL: url });
    first.kill("SIGTERM");
    await first.exited;
    const stranger = newFolder();
    const second = startTurnpike(stranger.path, { TURNPIKE_DATABASE_URL: url });
    await expect(second).rejects.toThrow("TURNPIKE_SECRET");
    stranger.remove();
  });

  test("serves two processes with one secret; the second prints nothing new", async () => {
    const url = (await server?.createDatabase()) ?? "";
    const env = {
      TURNPIKE_DATABASE_URL: url,
      TURNPIKE_SECRET: "shared-secret-of-two-replicas",
      TURNPIKE_MASTER_KEY: MASTER,
    };
    const folders = [newFolder(), newFolder()];
    const [one, two] = await Promise.all(folders.map((each) => startTurnpike(each.path, env)));
    try {
      const printed = [one, two].map((turnpike) => /Demo key +(sk-\w+)/.exec(turnpike?.output() ?? "")?.[1]);
      const keys = printed.filter((key) => key !== undefined);
      expect(keys).toHaveLength(1);
      for (const turnpike of [one, two]) expect(turnpike && (await chat(turnpike, keys[0] ?? "")).status).toBe(200);
    } finally {
      for (const turnpike of [one, two]) {
        turnpike?.kill("SIGKILL");
        await turnpike?.exited;
      }
      for (const each of folders) each.remove();
    }
  });
});
