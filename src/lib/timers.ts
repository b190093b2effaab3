/** Waiting is injected so that tests decide when time is up. */
export interface Timers {
  /** Runs the work once, later, unless it is cancelled first. It does not keep the process alive. */
  after(ms: number, work: () => void): Cancel;
}

export type Cancel = () => void;

export const systemTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
