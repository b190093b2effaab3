import { createHash } from "node:crypto";
import { isRecord } from "../lib/json.ts";
import { type PlainPrices, plainPrices } from "./plain-prices.ts";
import {
  findPrice,
  PRICE_COMPONENTS,
  type Price,
  type PriceComponent,
  type Prices,
  type ServiceTier,
} from "./price.ts";

/** A price list as one call is charged by it: for one service tier, with the mark-up. */
export interface PriceSheet {
  readonly prices: Prices;
  /** What is charged for, with its own price or its parent's: most lists have two or three of the fifteen. */
  readonly charged: readonly { readonly component: PriceComponent; readonly price: Price }[];
  /** The same as plain numbers, in the same order, where they can be. */
  readonly plain: PlainPrices | null;
  /** Hundredths of a percent on top of the provider's price. */
  readonly markupBp: bigint;
  /** Nothing in it costs anything. */
  readonly free: boolean;
  /** Names exactly this sheet: stored with each call, so that its cost can be computed again. */
  readonly version: string;
  /** The sheet as text, of which `version` is the hash. */
  readonly text: string;
}

const VERSION_DIGITS = 16;

/** The order of a cost's parts, which decides who gets the last nano-USD of two that lost the same. */
const IN_ORDER = [
  "input",
  "cache_read",
  "cache_read_audio",
  "cache_write",
  "cache_write_1h",
  "audio_input",
  "image_input",
  "output",
  "reasoning",
  "audio_output",
  "image_output",
  "image",
  "second",
  "character",
  "request",
] as const satisfies readonly PriceComponent[];

const made = new WeakMap<Prices, Map<ServiceTier, PriceSheet>>();

/** Made once for each list, until its mark-up changes: a call does not pay for the hash. */
export function priceSheet(prices: Prices, tier: ServiceTier = "standard", markupBp = 0n): PriceSheet {
  const sheets = made.get(prices) ?? new Map<ServiceTier, PriceSheet>();
  const known = sheets.get(tier);
  if (known?.markupBp === markupBp) return known;
  const sheet = makeSheet(forTier(prices, tier), markupBp);
  made.set(prices, sheets.set(tier, sheet));
  return sheet;
}

function makeSheet(prices: Prices, markupBp: bigint): PriceSheet {
  const listed: Record<string, unknown> = {};
  for (const component of PRICE_COMPONENTS) {
    const price = prices[component];
    if (price) listed[component] = [String(price.base), ...price.tiers.map((at) => [at.aboveTokens, String(at.price)])];
  }
  const text = JSON.stringify({ markupBp: Number(markupBp), prices: listed });
  const version = createHash("sha256").update(text).digest("hex").slice(0, VERSION_DIGITS);
  const charged = IN_ORDER.flatMap((component) => {
    const price = findPrice(prices, component);
    return price ? [{ component, price }] : [];
  });
  return { prices, charged, plain: plainPrices(charged), markupBp, free: isFree(prices), version, text };
}

const isFree = (prices: Prices): boolean =>
  Object.values(prices).every(({ base, tiers }) => base === 0n && tiers.every(({ price }) => price === 0n));

/** A tier's own prices where the list has them, else the usual ones. */
function forTier(prices: Prices, tier: ServiceTier): Prices {
  const chosen: Partial<Record<PriceComponent, Price>> = {};
  for (const component of PRICE_COMPONENTS) {
    const price = prices[component];
    if (price) chosen[component] = tier === "standard" ? price : (price.services?.[tier] ?? price);
  }
  return chosen;
}

/** Reads the text of a sheet back; null for what is none. */
export function readPriceSheet(text: string): PriceSheet | null {
  const stored: unknown = JSON.parse(text);
  if (!isRecord(stored) || typeof stored.markupBp !== "number" || !isRecord(stored.prices)) return null;
  const prices: Partial<Record<PriceComponent, Price>> = {};
  for (const component of PRICE_COMPONENTS) {
    const [base, ...tiers] = (stored.prices[component] ?? []) as [string?, ...[number, string][]];
    if (base === undefined) continue;
    prices[component] = {
      base: BigInt(base),
      tiers: tiers.map(([aboveTokens, price]) => ({ aboveTokens, price: BigInt(price) })),
    };
  }
  return makeSheet(prices, BigInt(stored.markupBp));
}
