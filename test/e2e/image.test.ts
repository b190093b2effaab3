import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "./image-entry.ts";
import { ENTRY, newFolder, startTurnpike } from "./process.ts";

/** Generous: the machine may be busy. */
setDefaultTimeout(180_000);

const folder = newFolder();
afterAll(() => folder.remove());

/** Has a document read, in a thread of its own, and gives what became of it. */
async function putIntoStore(url: string, key: string, html: string): Promise<unknown> {
  const authorization = `Bearer ${key}`;
  const form = new FormData();
  form.set("purpose", "assistants");
  form.set("file", new Blob([html]), "page.html");
  const ask = async (path: string, init: RequestInit): Promise<{ id: string; status: string }> =>
    (await fetch(url + path, init)).json() as Promise<{ id: string; status: string }>;
  const file = await ask("/v1/files", { method: "POST", headers: { authorization }, body: form });
  const headers = { authorization, "content-type": "application/json" };
  const body = JSON.stringify({ file_ids: [file.id] });
  const store = await ask("/v1/vector_stores", { method: "POST", headers, body });
  for (;;) {
    const entry = await ask(`/v1/vector_stores/${store.id}/files/${file.id}`, { headers });
    if (entry.status !== "in_progress") return entry;
    await Bun.sleep(50);
  }
}

test("the image that a start makes is the whole program: calls, database, pages, workers, commands", async () => {
  expect(ENTRY).toStartWith(join(ROOT, "dist"));
  const turnpike = await startTurnpike(folder.path, {}, ["--workers", "2"]);
  await turnpike.waitFor(/all workers serve/);
  const [, key = ""] = await turnpike.waitFor(/Master key +(sk-\w+)/);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello!" }] });
  const answer = await fetch(`${turnpike.url}/v1/chat/completions`, { method: "POST", headers, body });
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "You said: Hello!" } }] });
  const count = await fetch(`${turnpike.url}/utils/token_counter`, { method: "POST", headers, body });
  expect(await count.json()).toMatchObject({ total_tokens: expect.any(Number) });
  const page = await (await fetch(`${turnpike.url}/docs`)).text();
  const [, script = ""] = /src="([^"]+bundle[^"]*)"/.exec(page) ?? [];
  const asset = await fetch(new URL(script, `${turnpike.url}/docs`));
  expect([asset.status, Number((await asset.arrayBuffer()).byteLength) > 100_000]).toEqual([200, true]);
  expect((await fetch(`${turnpike.url}/openapi.json`, { headers })).status).toBe(200);
  expect(await putIntoStore(turnpike.url, key, "<html><body><p>Good day</p>")).toMatchObject({ status: "completed" });
  turnpike.kill("SIGTERM");
  expect(await turnpike.exited).toBe(0);
});

test("no module looks for files beside itself in a way that an image does not have", async () => {
  const found: string[] = [];
  for await (const path of new Glob("**/*.ts").scan(join(ROOT, "src"))) {
    // The second are read by tests alone.
    if (/\.test\.ts$|^providers\/.*\/test-|^lib\/program-root\.ts$/.test(path)) continue;
    const text = await Bun.file(join(ROOT, "src", path)).text();
    if (/import\.meta/.test(text.replaceAll(/threadFile\(import\.meta\.url, "[\w-]+"\)/g, ""))) found.push(path);
  }
  expect(found).toEqual([]);
});
