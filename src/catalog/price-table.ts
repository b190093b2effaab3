import type { Deployment } from "../contract/deployment.ts";
import { loadModelBook, type ModelBook } from "./model-facts.ts";
import type { Prices } from "./price.ts";

/** Some prices change with the hour; none changes faster than this. */
const FRESH_MS = 60_000;

/** Prices at hand: a call never waits for the lists that they come from. */
export class PriceTable {
  private book: ModelBook | null = null;
  private readonly known = new WeakMap<Deployment, { readonly prices: Prices | null; readonly atMs: number }>();

  constructor(private readonly nowMs: () => number) {}

  /** Loads the lists; the service does so once it listens. */
  async load(): Promise<void> {
    this.book ??= await loadModelBook();
  }

  /** Null when the price is not known, or not yet. */
  find(deployment: Deployment): Prices | null {
    const now = this.nowMs();
    const found = this.known.get(deployment);
    if (found && now - found.atMs < FRESH_MS) return found.prices;
    if (!this.book) return null;
    const prices = this.book.pricesFor(deployment, now);
    this.known.set(deployment, { prices, atMs: now });
    return prices;
  }
}
