// What a gateway with books costs on this runtime before it decides anything: the bare relay, and beside it only what every call
// has to leave behind, plainly written. A key is looked up, the call is in a journal before it is sent and when it has ended, its row is written to SQLite
// on a thread of its own, the answer has the caller's name of the model and the headers that ours have. Nothing is decided:
// no limits, no budgets, no credit, no routing, no retries, no metrics, and hardly a fault is told.
// Run with Bun and the upstream's address; prints its own.

import { mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [upstream = ""] = process.argv.slice(2);
const BATCH_MS = 200;

const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-least-"));
const writer = new Worker(new URL("least-writer.ts", import.meta.url));
writer.postMessage({ folder });
process.on("SIGTERM", () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

const journal = openSync(join(folder, "journal"), "a");
let lines = "";
let written: Promise<void> | null = null;
let rows: string[] = [];
setInterval(() => {
  if (rows.length > 0) writer.postMessage({ rows: `[${rows.join(",")}]` });
  rows = [];
}, BATCH_MS).unref();

/** Whatever comes in one turn of the event loop is written at once. */
function append(json: string): Promise<void> {
  lines += `${Bun.hash.crc32(json).toString(16)} ${json.length} ${json}\n`;
  written ??= new Promise((resolve) => {
    setImmediate(() => {
      writeSync(journal, lines);
      lines = "";
      written = null;
      resolve();
    });
  });
  return written;
}

const keys = new Map([["Bearer sk-upstream", { id: crypto.randomUUID(), team: crypto.randomUUID(), spent: 0 }]]);
const STILL = {
  "content-type": "application/json",
  ...Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`x-gw-that-stays-${index}`, `value ${index}`])),
};

async function answer(request: Request): Promise<Response> {
  const begunMs = performance.now();
  const key = keys.get(request.headers.get("authorization") ?? "");
  const body = await request.text();
  const { model, stream } = JSON.parse(body) as { model?: unknown; stream?: unknown };
  if (!key || typeof model !== "string") return new Response("no key or no model", { status: 400 });
  const id = Bun.randomUUIDv7();
  const call = `["${id}",${Date.now()},"${key.id}","${key.team}","${model}"`;
  await append(`${call}]`);
  const sent = await fetch(`${upstream}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-upstream" },
    body,
    signal: request.signal,
  });
  const end = (prompt: number, completion: number): Promise<void> => {
    const cost = prompt * 1000 + completion * 3000;
    key.spent += cost;
    const row = `${call},"/v1/chat/completions","openai","succeeded",200,${prompt},${completion},"${cost}",${Math.round(performance.now() - begunMs)}]`;
    rows.push(row);
    return append(row);
  };
  if (stream === true && sent.body) {
    return new Response(passed(sent.body.getReader(), end), { headers: { "content-type": "text/event-stream" } });
  }
  const told = (await sent.json()) as { model: string; usage: { prompt_tokens: number; completion_tokens: number } };
  told.model = model;
  await end(told.usage.prompt_tokens, told.usage.completion_tokens);
  const headers: Record<string, string> = { ...STILL, "x-gw-call-id": id, "x-gw-key-spend": String(key.spent) };
  for (let limit = 0; limit < 6; limit++) headers[`x-ratelimit-that-moves-${limit}`] = String(key.spent + limit);
  headers["x-gw-response-duration-ms"] = (performance.now() - begunMs).toFixed(2);
  return new Response(JSON.stringify(told), { headers });
}

/** Bytes as they come: not even the model's name is changed, and nobody looks for the usage. */
const passed = (
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read">,
  end: (prompt: number, completion: number) => Promise<void>,
): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      await end(0, 0);
      controller.close();
    },
  });

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  maxRequestBodySize: 64 * 1024 * 1024,
  fetch: (request) => (request.method === "GET" ? new Response("alive") : answer(request)),
});
console.log(server.url.origin);
