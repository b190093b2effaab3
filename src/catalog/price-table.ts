import type { Deployment } from "../contract/deployment.ts";
import { loadModelBook, type ModelBook, unlistedPrices } from "./model-facts.ts";
import { readMarkup } from "./own-prices.ts";
import type { Prices } from "./price.ts";

/** Some prices change with the hour; none changes faster than this. */
const FRESH_MS = 60_000;

/** What a deployment's calls are charged by. */
export interface Tariff {
  /** Null: not known. */
  readonly prices: Prices | null;
  /** The operator says that its calls cost nothing, whatever any list says. */
  readonly free: boolean;
  /** The deployment's own mark-up in hundredths of a percent; null: that of all. */
  readonly markupBp: bigint | null;
  readonly maxOutputTokens: number | null;
  readonly maxInputTokens: number | null;
  readonly supportsResponseSchema: boolean | null;
}

/** Prices at hand: a call never waits for the lists that they come from. */
export class PriceTable {
  private book: ModelBook | null = null;
  private readonly known = new WeakMap<Deployment, { readonly tariff: Tariff; readonly atMs: number }>();

  constructor(private readonly nowMs: () => number) {}

  /** Loads the lists; the service does so once it listens. */
  async load(): Promise<void> {
    this.book ??= await loadModelBook();
  }

  /** Null while the list that the price stands in is not loaded. */
  find(deployment: Deployment): Tariff | null {
    const now = this.nowMs();
    const found = this.known.get(deployment);
    if (found && now - found.atMs < FRESH_MS) return found.tariff;
    const tariff = this.workOut(deployment, now);
    if (tariff) this.known.set(deployment, { tariff, atMs: now });
    return tariff;
  }

  private workOut(deployment: Deployment, now: number): Tariff | null {
    const free = deployment.info.free === true;
    const markupBp = readMarkup(deployment.info);
    if (this.book) {
      const facts = this.book.factsFor(deployment, now);
      const { prices, maxOutputTokens, maxInputTokens, supportsResponseSchema } = facts;
      return { prices, free, markupBp, maxOutputTokens, maxInputTokens, supportsResponseSchema };
    }
    const prices = unlistedPrices(deployment);
    if (prices === undefined && !free) return null;
    return { prices: prices ?? null, free, markupBp, maxOutputTokens: null, ...statedLimits(deployment) };
  }
}

/** What the operator says of the model, where no list is at hand. */
export const statedLimits = ({ info: { max_input_tokens: input, supports_response_schema: schema } }: Deployment) => ({
  maxInputTokens: typeof input === "number" ? input : null,
  supportsResponseSchema: typeof schema === "boolean" ? schema : null,
});
