/** How late timers fire: the time for which the event loop was busy with something else. */
export interface EventLoopProbe {
  /** Told each delay that is measured from now on. One listener at a time. */
  listen(listener: (delayMs: number) => void): void;
  stop(): void;
}

export function probeEventLoop(intervalMs = 20): EventLoopProbe {
  let expected = performance.now() + intervalMs;
  let tell: (delayMs: number) => void = () => undefined;
  const timer = setInterval(() => {
    const now = performance.now();
    tell(Math.max(0, now - expected));
    expected = now + intervalMs;
  }, intervalMs);
  timer.unref();
  return {
    listen(listener) {
      tell = listener;
    },
    stop: () => clearInterval(timer),
  };
}

/** Tells one turn of the event loop from the next, at the price of one immediate for all who ask in the same turn. */
export class LoopTurns {
  private number = 0;
  private isAsked = false;

  get present(): number {
    if (!this.isAsked) {
      this.isAsked = true;
      setImmediate(this.end);
    }
    return this.number;
  }

  private readonly end = (): void => {
    this.isAsked = false;
    this.number++;
  };
}
