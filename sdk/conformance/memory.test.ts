import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { findRuntimes, startModel } from "./participants.ts";

const MIB = 1024 * 1024;
/** The decoded size. Large against what a runtime takes for itself, small enough for a test. */
const PAYLOAD = 96 * MIB;
const PIECE = 768 * 1024;

const { runtimes, remove } = await findRuntimes();
afterAll(remove);

const canMeasure = existsSync("/proc/self/status");

describe.skipIf(!canMeasure)("a large model goes through a participant", () => {
  for (const runtime of runtimes) {
    test(`${runtime.name}: as JSON within three times its size`, async () => {
      expect(await peakOverPayload(runtime, "json")).toBeLessThan(3);
    }, 120_000);

    test(`${runtime.name}: as bytes within 2.4 times its size`, async () => {
      expect(await peakOverPayload(runtime, "binary")).toBeLessThan(2.4);
    }, 120_000);
  }
});

/** Echoes the payload and gives what the process took at most for it, over what it had before. */
async function peakOverPayload(runtime: (typeof runtimes)[number], form: "json" | "binary"): Promise<number> {
  const model = await startModel(runtime, { datasets: { default: { do: "echo" } } });
  try {
    await echo(model.url, form, PIECE);
    const before = memoryOf(model.pid, "VmRSS");
    const bytes = await echo(model.url, form, PAYLOAD);
    expect(bytes).toBe(form === "json" ? (PAYLOAD / 3) * 4 + '{"parameters":""}'.length : PAYLOAD);
    return (memoryOf(model.pid, "VmHWM") - before) / PAYLOAD;
  } finally {
    await model.stop();
  }
}

async function echo(url: string, form: "json" | "binary", bytes: number): Promise<number> {
  const json = form === "json";
  const type = json ? "application/json" : "application/octet-stream";
  const piece = json ? Buffer.alloc((PIECE / 3) * 4, "QUJD") : Buffer.alloc(PIECE, 7);
  const [head, tail] = json ? [Buffer.from('{"parameters":"'), Buffer.from('"}')] : [null, null];
  async function* pieces() {
    if (head) yield head;
    for (let at = 0; at < bytes; at += PIECE) yield piece;
    if (tail) yield tail;
  }
  const response = await fetch(`${url}/train`, {
    method: "POST",
    headers: { "content-type": type, accept: type },
    body: pieces() as unknown as ReadableStream,
  });
  expect(response.status).toBe(200);
  let received = 0;
  for await (const part of response.body as ReadableStream<Uint8Array>) received += part.length;
  return received;
}

function memoryOf(pid: number, line: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`^${line}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1] ?? Number.NaN) * 1024;
}
