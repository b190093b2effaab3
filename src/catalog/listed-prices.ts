import type { calcPrice, findProvider, ModelPrice } from "@pydantic/genai-prices";
import { BoundedMap } from "../lib/bounded-map.ts";
import { ceilDivide } from "./decimal.ts";
import { flatPrice, type Price, type PriceComponent, type Prices, parsePricePer } from "./price.ts";
import { LISTINGS } from "./public-books.ts";

/** What the public price list says about a model. */
export interface ListedPrice {
  /** The name under which the list knows the model; a dated name leads to the plain one. */
  readonly model: string;
  readonly contextWindow: number | null;
  readonly prices: Prices;
}

/** The list's units: dollars per ten to the so-many tokens or requests. */
const UNITS: Readonly<Record<string, readonly [PriceComponent, unitsExponent: number]>> = {
  input_mtok: ["input", 6],
  output_mtok: ["output", 6],
  cache_read_mtok: ["cache_read", 6],
  cache_audio_read_mtok: ["cache_read_audio", 6],
  cache_write_mtok: ["cache_write", 6],
  cache_write_1h_mtok: ["cache_write_1h", 6],
  output_reasoning_mtok: ["reasoning", 6],
  input_audio_mtok: ["audio_input", 6],
  output_audio_mtok: ["audio_output", 6],
  input_image_mtok: ["image_input", 6],
  output_image_mtok: ["image_output", 6],
  requests_kcount: ["request", 3],
};

const SECONDS_PER_HOUR = 3_600n;
const REMEMBERED_MAX = 2_000;
const minuteOf = (timeMs: number): number => Math.floor(timeMs / 60_000);

interface Remembered {
  readonly found: ListedPrice | null;
  /** The minute that it was looked up for; null where the price does not change with time. */
  readonly minute: number | null;
}

/** The list of `@pydantic/genai-prices`: its data comes with the package and is never fetched. */
export class ListedPrices {
  private readonly remembered = new BoundedMap<string, Remembered>(REMEMBERED_MAX);

  constructor(private readonly list: { calcPrice: typeof calcPrice; findProvider: typeof findProvider }) {}

  find(provider: string, model: string, atMs: number): ListedPrice | null {
    const key = `${provider}/${model}`;
    const before = this.remembered.get(key);
    if (before && (before.minute === null || before.minute === minuteOf(atMs))) return before.found;
    const now = this.lookUp(provider, model, atMs);
    this.remembered.set(key, now);
    return now.found;
  }

  private lookUp(provider: string, model: string, atMs: number): Remembered {
    const providerId = LISTINGS.get(provider)?.prices;
    const listed = providerId === undefined ? undefined : this.list.findProvider({ providerId });
    const hit = listed && this.list.calcPrice({}, model, { provider: listed, timestamp: new Date(atMs) });
    if (!hit) return { found: null, minute: null };
    const found = {
      model: hit.model.id,
      contextWindow: hit.model.context_window ?? null,
      prices: toPrices(hit.model_price),
    };
    // Some prices begin on a date or hold for some hours of the day: those are looked up again.
    return { found, minute: Array.isArray(hit.model.prices) ? minuteOf(atMs) : null };
  }
}

function toPrices(listed: ModelPrice): Prices {
  const prices: Partial<Record<PriceComponent, Price>> = {};
  for (const [unit, value] of Object.entries(listed)) {
    const known = UNITS[unit];
    const price = known && value !== undefined ? toPrice(value, known[1]) : null;
    if (known && price) prices[known[0]] = price;
  }
  const hourly = listed.input_audio_hours ?? listed.audio_hours;
  const perHour = typeof hourly === "number" ? parsePricePer(hourly, 0) : null;
  if (perHour !== null) prices.second = flatPrice(ceilDivide(perHour, SECONDS_PER_HOUR));
  // The list knows the model and asks nothing for it.
  return Object.keys(listed).length === 0 ? { input: flatPrice(0n), output: flatPrice(0n) } : prices;
}

function toPrice(value: NonNullable<ModelPrice[string]>, unitsExponent: number): Price | null {
  if (typeof value === "number") {
    const base = parsePricePer(value, unitsExponent);
    return base === null ? null : flatPrice(base);
  }
  const base = parsePricePer(value.base, unitsExponent);
  if (base === null) return null;
  const tiers = value.tiers.map(({ start, price }) => ({
    aboveTokens: start,
    price: parsePricePer(price, unitsExponent) ?? base,
  }));
  return { base, tiers: tiers.sort((a, b) => a.aboveTokens - b.aboveTokens) };
}
