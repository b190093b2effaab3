import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { echo, memoryOf } from "./echo.ts";
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
      expect(await leastPeak(runtime, "json", 3)).toBeLessThan(3);
    }, 120_000);

    test(`${runtime.name}: as bytes within 2.4 times its size`, async () => {
      expect(await leastPeak(runtime, "binary", 2.4)).toBeLessThan(2.4);
    }, 120_000);
  }
});

/**
 * The least of up to three processes. The bound is near: twelve took 2.25 to 2.37 times as bytes on a quiet machine, twelve
 * beside other work 2.08 to 2.35, and one once 2.47, of which the cause is not known. One that holds too much does so each time.
 */
async function leastPeak(runtime: (typeof runtimes)[number], form: "json" | "binary", wanted: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && least >= wanted; tries++) {
    least = Math.min(least, await peakOverPayload(runtime, form));
  }
  return least;
}

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
