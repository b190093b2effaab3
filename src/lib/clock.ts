/** Time is injected so that tests step it. `nowMs` is wall time; `monotonicMs` never goes back. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
