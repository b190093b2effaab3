import type { Deployment } from "../contract/deployment.ts";
import { builtInTable, ModelBook, unlistedPrices } from "./model-facts.ts";
import type { ModelTable } from "./model-table.ts";
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

/** Prices in memory. Only the first call after a start waits for the table that they come from. */
export class PriceTable {
  private present: ModelBook | null = null;
  private loaded: ModelTable | null = null;
  private known = new WeakMap<Deployment, { readonly tariff: Tariff; readonly atMs: number }>();

  constructor(private readonly nowMs: () => number) {}

  /** Loads the model table; the service does so once it listens. */
  async load(): Promise<void> {
    await this.book();
  }

  /** The facts of models: from the table of the program, or from a newer one that an operator has loaded. */
  async book(): Promise<ModelBook> {
    if (this.present) return this.present;
    const builtIn = await builtInTable();
    const { loaded } = this;
    this.present ??= new ModelBook(loaded && loaded.date >= builtIn.date ? loaded : builtIn);
    return this.present;
  }

  /** The table in use, for display. */
  async inUse(): Promise<{ readonly date: string; readonly origin: "built-in" | "loaded" }> {
    const { table } = await this.book();
    return { date: table.date, origin: table === this.loaded ? "loaded" : "built-in" };
  }

  /** Uses the table that an operator has loaded from the next call on. Null: there is none. */
  useTable(loaded: ModelTable | null): void {
    if (loaded === this.loaded) return;
    this.loaded = loaded;
    this.present = null;
    this.known = new WeakMap();
  }

  /** Null while the table that has the price is not loaded. */
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
    if (this.present) {
      const facts = this.present.factsFor(deployment, now);
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
