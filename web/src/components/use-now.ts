import { useSyncExternalStore } from "react";
import { serverNowMs } from "../api/server-clock.ts";

const STEP_MS = 10_000;
const listeners = new Set<() => void>();
let timer: number | undefined;

/** One clock for all times of a page, which goes only while somebody looks at it. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(() => {
    for (const tell of listeners) tell();
  }, STEP_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

const step = (): number => Math.floor(serverNowMs() / STEP_MS);

/** Draws again as time passes: what was "3 seconds ago" is not so for ever. */
export const useNow = (): void => void useSyncExternalStore(subscribe, step);
