import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "./image-program.ts";
import { newFolder, PROGRAM, runTurnpike, startTurnpike } from "./process.ts";

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
  expect(PROGRAM).toEqual([expect.stringMatching(/\/dist\/\w+\/turnpike$/)]);
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

const PLUGIN = `import { defineGuardrail } from "turnpike/src/guardrails/plugin.ts";
import { WORD } from "words";
const at = (text: string): number => text.indexOf(WORD);
export default defineGuardrail({
  inspect: ({ texts }) => texts.flatMap((text, index) => (at(text) < 0 ? [] : [{ category: "own word", index }])),
});
`;

test("an image loads a guardrail of one's own from its file, with what that imports, and again when it has changed", async () => {
  const own = join(folder.path, "own");
  mkdirSync(join(own, "node_modules"), { recursive: true });
  symlinkSync(ROOT, join(own, "node_modules/turnpike"));
  mkdirSync(join(own, "node_modules/words"));
  writeFileSync(join(own, "node_modules/words/package.json"), '{"exports": "./some.ts"}');
  writeFileSync(join(own, "node_modules/words/some.ts"), 'export const WORD: string = "falcon";\n');
  writeFileSync(join(own, "plugin.ts"), PLUGIN);
  const guardrail =
    "{ guardrail_name: own, litellm_params: { guardrail: plugin, mode: pre_call, module: ./plugin.ts, default_on: true } }";
  writeFileSync(join(own, "turnpike.yaml"), `guardrails: [${guardrail}]\n`);
  const turnpike = await startTurnpike(own, { TURNPIKE_MASTER_KEY: "sk-master-of-the-image-0123" });
  const ask = async (content: string): Promise<number> => {
    const headers = { authorization: "Bearer sk-master-of-the-image-0123", "content-type": "application/json" };
    const body = JSON.stringify({ model: "echo", messages: [{ role: "user", content }] });
    return (await fetch(`${turnpike.url}/v1/chat/completions`, { method: "POST", headers, body })).status;
  };
  expect([await ask("a falcon"), await ask("an owl")]).toEqual([400, 200]);
  writeFileSync(join(own, "plugin.ts"), PLUGIN.replace("indexOf(WORD)", 'indexOf("owl")'));
  utimesSync(join(own, "plugin.ts"), 1, 1);
  turnpike.kill("SIGHUP");
  await turnpike.waitFor(/reloaded/);
  expect([await ask("a falcon"), await ask("an owl")]).toEqual([200, 400]);
  turnpike.kill("SIGTERM");
  expect(await turnpike.exited).toBe(0);
});

test("a worker that dies is started again when the image has been removed meanwhile", async () => {
  const [image = ""] = PROGRAM;
  const place = join(folder.path, "removed");
  mkdirSync(place);
  cpSync(image, join(place, "turnpike"));
  const turnpike = runTurnpike(place, ["serve", "--port", "0", "--workers", "2"], {}, [], [join(place, "turnpike")]);
  await turnpike.waitFor(/all workers serve/);
  rmSync(join(place, "turnpike"));
  const [worker] = readFileSync(`/proc/${turnpike.pid}/task/${turnpike.pid}/children`, "utf8").trim().split(" ");
  process.kill(Number(worker), "SIGKILL");
  await turnpike.waitFor(/a worker is back/);
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
