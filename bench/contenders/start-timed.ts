import { residentBytes } from "../processes.ts";
import type { Start } from "./contender.ts";

/** After its first answer a process is left alone for so long before its memory is looked at. */
const SETTLE_MS = 500;

interface Begun {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts something so many times over and leaves the last one running. A start ends with the first call that is answered. */
export async function startTimed<T extends Begun>(
  times: number,
  begin: () => Promise<T>,
  ask: (port: number) => Promise<void>,
): Promise<{ readonly begun: T; readonly starts: readonly Start[] }> {
  const starts: Start[] = [];
  for (;;) {
    const from = performance.now();
    const begun = await begin();
    await ask(begun.port);
    const ms = performance.now() - from;
    await Bun.sleep(SETTLE_MS);
    starts.push({ ms, idleMb: residentBytes(begun.pid) / 1e6 });
    if (starts.length >= times) return { begun, starts };
    await begun.stop();
  }
}

/** A small call that must be answered. Until something listens it is tried again, every few milliseconds. */
export async function askOnce(
  port: number,
  headers: Readonly<Record<string, string>>,
  model: string,
  tries = 1,
): Promise<void> {
  const call = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
  };
  for (let left = tries; ; left--) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, call).catch((thrown: unknown) => {
      if (left <= 1) throw thrown;
      return null;
    });
    if (response === null) {
      await Bun.sleep(10);
      continue;
    }
    const text = await response.text();
    if (!response.ok) throw new Error(`the first call was answered ${response.status}: ${text}`);
    return;
  }
}
