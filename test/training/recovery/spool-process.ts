import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RunFolder } from "../../../src/training/coordinator/run-folder.ts";

/** Receives responses like a coordinator that has a large model in memory, and prints the memory that this added. */
const [, , url = "", responses = "", liveMib = ""] = process.argv;
const path = mkdtempSync(join(tmpdir(), "turnpike-spool-"));
const anonymousMib = (): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;

const live = new Float32Array(Number(liveMib) * 1024 ** 2 * 0.25).fill(1);
const folder = new RunFolder(path);
const before = anonymousMib();
let most = before;

async function* watched(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    yield chunk;
    bytes += chunk.length;
    if (bytes < 1024 ** 2) continue;
    bytes = 0;
    most = Math.max(most, anonymousMib());
  }
}

try {
  await Promise.all(
    Array.from({ length: Number(responses) }, async () => {
      const { body } = await fetch(url);
      await folder.spool(watched(body ?? new Blob().stream()), Number.POSITIVE_INFINITY);
    }),
  );
  console.log(JSON.stringify({ addedMib: most - before, liveBytes: live.byteLength }));
} finally {
  rmSync(path, { recursive: true, force: true });
}
