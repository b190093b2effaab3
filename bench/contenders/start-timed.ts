import { residentBytes } from "../processes.ts";
import type { Start } from "./contender.ts";

/** The pause between the first response of a process and the reading of its memory. */
const SETTLE_MS = 500;
const RESPONSE_TIMEOUT_MS = 10_000;

interface StartedProcess {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a process `times` times and leaves the last one running. A start ends with the first successful call. */
export async function startTimed<T extends StartedProcess>(
  times: number,
  start: () => Promise<T>,
  call: (port: number) => Promise<void>,
): Promise<{ readonly started: T; readonly starts: readonly Start[] }> {
  const starts: Start[] = [];
  for (;;) {
    const from = performance.now();
    const started = await start();
    await call(started.port);
    const ms = performance.now() - from;
    await Bun.sleep(SETTLE_MS);
    starts.push({ ms, idleMb: residentBytes(started.pid) / 1e6 });
    if (starts.length >= times) return { started, starts };
    await started.stop();
  }
}

/** Sends a small call. Throws unless the response is successful. */
export async function callOnce(port: number, headers: Readonly<Record<string, string>>, model: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The first call failed with status ${response.status}: ${text}`);
}
