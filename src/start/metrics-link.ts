import { addCounters, countersOf } from "../http/counters.ts";
import type { MetricsSnapshot } from "../http/metrics.ts";
import type { Link } from "../lib/link.ts";
import { ACK_TIMEOUT_MS } from "../workers/worker-bus.ts";

/** What the workers of a server count, as one of them asks for it. */
export interface SharedMetrics {
  /** From now on the others may ask this worker. */
  give(read: () => Promise<MetricsSnapshot>): void;
  /** What all others count, with what those have counted that are gone. Never throws. */
  others(own: MetricsSnapshot): Promise<readonly MetricsSnapshot[]>;
}

export const sharedMetricsOver = (link: Link): SharedMetrics => ({
  give(read) {
    link.on("metrics", read);
    link.call("metrics.given", []).catch(() => undefined);
  },
  // Longer than the supervisor waits for each: one that stands still must not take the others' numbers with it.
  others: (own) => link.call<readonly MetricsSnapshot[]>("metrics.others", [own], 2 * ACK_TIMEOUT_MS).catch(() => []),
});

/**
 * The supervisor keeps what each worker was last seen to have counted. A sum over workers that fell when one of them died or
 * did not answer would look to Prometheus as if all of it had been counted anew.
 */
export class KeptMetrics {
  private gone: MetricsSnapshot = [];
  private readonly counted = new Map<Link, MetricsSnapshot>();

  /** Gives what to do when the worker is gone. */
  offer(link: Link): () => void {
    link.on("metrics.given", () => void this.counted.set(link, []));
    link.on("metrics.others", (own: MetricsSnapshot) => {
      this.keep(link, own);
      return this.others(link);
    });
    return () => {
      this.gone = addCounters(this.gone, this.counted.get(link) ?? []);
      this.counted.delete(link);
    };
  }

  private async others(asking: Link): Promise<readonly MetricsSnapshot[]> {
    const links = [...this.counted.keys()].filter((link) => link !== asking);
    const found = await Promise.all(links.map((link) => this.ask(link)));
    return [...found.flat(), this.gone];
  }

  /** None of one that died while it was asked: it is among those that are gone. */
  private async ask(link: Link): Promise<readonly MetricsSnapshot[]> {
    try {
      const snapshot = await link.call<MetricsSnapshot>("metrics", [], ACK_TIMEOUT_MS);
      this.keep(link, snapshot);
      return [snapshot];
    } catch {
      const last = this.counted.get(link);
      return last === undefined ? [] : [last];
    }
  }

  private keep(link: Link, snapshot: MetricsSnapshot): void {
    if (this.counted.has(link)) this.counted.set(link, countersOf(snapshot));
  }
}
