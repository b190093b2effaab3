import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "../e2e/process.ts";

const folder = newFolder();
const running: Turnpike[] = [];
afterAll(async () => {
  for (const turnpike of running) turnpike.kill("SIGKILL");
  await Promise.all(running.map(({ exited }) => exited));
  folder.remove();
});

const SLOW_MS = 120_000;

async function run(cwd: string, ...args: string[]) {
  const command = runTurnpike(cwd, args);
  return { code: await command.exited, output: command.output() };
}

async function start(cwd: string): Promise<Turnpike> {
  const turnpike = await startTurnpike(cwd);
  running.push(turnpike);
  return turnpike;
}

const chat = (url: string, key: string): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello!" }] }),
  });

test(
  "what was copied while calls were made is a server of its own: keys, files and books",
  async () => {
    const turnpike = await start(folder.path);
    const key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
    const form = new FormData();
    form.set("purpose", "assistants");
    form.set("file", new File(["The lighthouse is red."], "a.txt"));
    const headers = { authorization: `Bearer ${key}` };
    const { id } = (await (
      await fetch(`${turnpike.url}/v1/files`, { method: "POST", headers, body: form })
    ).json()) as {
      id: string;
    };
    let going = true;
    const calling = (async () => {
      for (; going; ) expect((await chat(turnpike.url, key)).status).toBe(200);
    })();
    const copy = join(folder.path, "copy");
    const { code, output } = await run(folder.path, "backup", copy);
    going = false;
    await calling;
    expect([code, output]).toEqual([0, `All is in ${copy}.\n`]);
    expect(readdirSync(copy).sort()).toEqual(["files", "secrets.json", "turnpike.db"]);
    for (const name of readdirSync(copy)) expect(statSync(join(copy, name)).mode & 0o077).toBe(0);

    const elsewhere = newFolder();
    cpSync(copy, join(elsewhere.path, "data"), { recursive: true });
    expect((await run(elsewhere.path, "ledger", "verify")).code).toBe(0);
    const restored = await start(elsewhere.path);
    expect((await chat(restored.url, key)).status).toBe(200);
    const file = await fetch(`${restored.url}/v1/files/${id}/content`, { headers });
    expect(await file.text()).toBe("The lighthouse is red.");
    restored.kill("SIGTERM");
    await restored.exited;
    expect((await run(elsewhere.path, "ledger", "verify")).code).toBe(0);
    elsewhere.remove();
  },
  SLOW_MS,
);

test(
  "of a server that was killed the calls are copied that the database does not have yet",
  async () => {
    const { path, remove } = newFolder();
    const turnpike = await start(path);
    const key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
    expect((await chat(turnpike.url, key)).status).toBe(200);
    turnpike.kill("SIGKILL");
    await turnpike.exited;
    const copy = join(path, "copy");
    expect((await run(path, "backup", copy)).code).toBe(0);
    const lines = (data: string): string[] =>
      readdirSync(join(data, "journal"), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    expect(lines(copy).join("")).not.toBe("");
    expect(lines(copy)).toEqual(lines(join(path, "data")));
    remove();
  },
  SLOW_MS,
);

test("a folder that is in use, lies in the data folder, or has nothing to copy is refused in words", async () => {
  const { path, remove } = newFolder();
  const nothing = await run(path, "backup", join(path, "copy"));
  expect([nothing.code, nothing.output]).toEqual([2, expect.stringContaining("There is nothing to back up")]);
  expect(existsSync(join(path, "copy"))).toBe(false);
  expect((await run(path, "migrate")).code).toBe(0);
  const full = await run(path, "backup", path);
  expect([full.code, full.output]).toEqual([2, expect.stringContaining("is not empty")]);
  const inside = await run(path, "backup", join(path, "data", "copy"));
  expect([inside.code, inside.output]).toEqual([2, expect.stringContaining("lies in the data folder")]);
  remove();
}, 60_000);
