/** How late timers fire: the time for which the event loop was busy with something else. */
export interface EventLoopProbe {
  /** The largest delay since the last time this was asked. */
  takeMaxDelayMs(): number;
  stop(): void;
}

export function probeEventLoop(intervalMs = 20): EventLoopProbe {
  let expected = performance.now() + intervalMs;
  let max = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    max = Math.max(max, now - expected);
    expected = now + intervalMs;
  }, intervalMs);
  timer.unref();
  return {
    takeMaxDelayMs() {
      const taken = max;
      max = 0;
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}
