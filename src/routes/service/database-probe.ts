import type { Timers } from "../../lib/timers.ts";

/** Balancers such as Kubernetes wait one second for a probe. */
const RESPONSE_MS = 700;

/**
 * Asks whether the database responds, without waiting for as long as a call would. Probes share one ping, so that they
 * do not use up the connections while the database is silent.
 */
export class DatabaseProbe {
  private pending: Promise<boolean> | null = null;

  constructor(
    private readonly ping: () => Promise<void>,
    private readonly timers: Timers,
  ) {}

  isConnected(): Promise<boolean> {
    this.pending ??= this.start();
    const { pending } = this;
    return new Promise((resolve) => {
      const cancel = this.timers.after(RESPONSE_MS, () => resolve(false));
      void pending.then((isConnected) => {
        cancel();
        resolve(isConnected);
      });
    });
  }

  private async start(): Promise<boolean> {
    try {
      await this.ping();
      return true;
    } catch {
      return false;
    } finally {
      this.pending = null;
    }
  }
}
