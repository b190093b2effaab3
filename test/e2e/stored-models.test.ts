import { afterAll, describe, expect, test } from "bun:test";
import { postgresMissing, sharedPostgres } from "../services/postgres.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const MASTER = "sk-master-key-of-the-stored-models";
const ENV = { TURNPIKE_MASTER_KEY: MASTER, TURNPIKE_SECRET: "the-secret-that-replicas-share" };
const folders = [newFolder(), newFolder(), newFolder()];
const started: Turnpike[] = [];
afterAll(async () => {
  for (const turnpike of started) turnpike.kill("SIGKILL");
  await Promise.all(started.map(({ exited }) => exited));
  for (const folder of folders) folder.remove();
});

async function start(folder: number, env: Record<string, string> = {}): Promise<Turnpike> {
  const turnpike = await startTurnpike(folders[folder]?.path ?? "", { ...ENV, ...env });
  started.push(turnpike);
  return turnpike;
}
const send = (turnpike: Turnpike, path: string, json: unknown) =>
  fetch(turnpike.url + path, {
    method: "POST",
    headers: { "x-gw-api-key": MASTER, "content-type": "application/json" },
    body: JSON.stringify(json),
  });
const chat = async (turnpike: Turnpike, model: string): Promise<number> =>
  (await send(turnpike, "/v1/chat/completions", { model, messages: [{ role: "user", content: "hi" }] })).status;
const add = async (turnpike: Turnpike, model_name: string): Promise<string> => {
  const made = await send(turnpike, "/model/new", { model_name, litellm_params: { model: "echo/chat" } });
  return ((await made.json()) as { model_id: string }).model_id;
};

/** Asks until it is so: the other process looks every few seconds, and nothing here depends on how many. */
async function eventually(ask: () => Promise<number>, status: number): Promise<void> {
  for (let left = 300; left > 0 && (await ask()) !== status; left--) await Bun.sleep(100);
  expect(await ask()).toBe(status);
}

test("a stored model survives the end of the process, however it ends", async () => {
  const first = await start(0);
  await add(first, "kept");
  expect(await chat(first, "kept")).toBe(200);
  first.kill("SIGKILL");
  await first.exited;
  const second = await start(0);
  expect(await chat(second, "kept")).toBe(200);
  second.kill("SIGHUP");
  await second.waitFor(/configuration reloaded/);
  expect(await chat(second, "kept")).toBe(200);
}, 60_000);

describe.skipIf(postgresMissing !== null)("two processes over one PostgreSQL", () => {
  test("each can call what the other was given, and no longer what the other removed", async () => {
    const TURNPIKE_DATABASE_URL = (await (await sharedPostgres())?.createDatabase()) ?? "";
    const one = await start(1, { TURNPIKE_DATABASE_URL });
    const other = await start(2, { TURNPIKE_DATABASE_URL });
    const id = await add(one, "shared");
    await eventually(() => chat(other, "shared"), 200);
    expect((await send(other, "/model/delete", { id })).status).toBe(200);
    await eventually(() => chat(one, "shared"), 404);
  }, 60_000);
});
