import { useEffect, useRef, useState } from "react";
import { NO_TIMING, newId, type Timing } from "./conversation.ts";

/** One call that makes something: pictures, or a voice. */
export interface Run<Made> {
  readonly id: string;
  readonly model: string;
  readonly prompt: string;
  readonly state: "waiting" | "done" | "failed";
  readonly made: Made | null;
  readonly error: Error | null;
  readonly timing: Timing;
}

interface Sent<Made> {
  readonly made: Made;
  readonly callId: string | null;
}

/** The newest first; a page that is left behind leaves its calls alone. */
export function useRuns<Made>(send: (model: string, prompt: string, signal: AbortSignal) => Promise<Sent<Made>>) {
  const [runs, setRuns] = useState<readonly Run<Made>[]>([]);
  const abort = useRef(new AbortController());
  useEffect(() => {
    abort.current = new AbortController();
    return () => abort.current.abort();
  }, []);
  const start = async (model: string, prompt: string): Promise<void> => {
    const id = newId();
    const put = (changes: Partial<Run<Made>>): void =>
      setRuns((all) => all.map((run) => (run.id === id ? { ...run, ...changes } : run)));
    const run: Run<Made> = { id, model, prompt, state: "waiting", made: null, error: null, timing: NO_TIMING };
    setRuns((all) => [run, ...all]);
    const startMs = performance.now();
    const elapsed = () => Math.round(performance.now() - startMs);
    try {
      const { made, callId } = await send(model, prompt, abort.current.signal);
      put({ state: "done", made, timing: { ...NO_TIMING, callId, totalMs: elapsed() } });
    } catch (thrown) {
      put({ state: "failed", error: thrown as Error, timing: { ...NO_TIMING, totalMs: elapsed() } });
    }
  };
  return { runs, start, isRunning: runs.some(({ state }) => state === "waiting") };
}
