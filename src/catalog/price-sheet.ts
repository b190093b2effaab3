import { createHash } from "node:crypto";
import { isRecord } from "../lib/json.ts";
import { PRICE_COMPONENTS, type Price, type PriceComponent, type Prices, type ServiceTier } from "./price.ts";

/** A price list as one call is charged by it: for one service tier, with the mark-up. */
export interface PriceSheet {
  readonly prices: Prices;
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

const made = new WeakMap<Prices, Map<string, PriceSheet>>();

/** Made once for each list: a call does not pay for the hash. */
export function priceSheet(prices: Prices, tier: ServiceTier = "standard", markupBp = 0n): PriceSheet {
  const sheets = made.get(prices) ?? new Map<string, PriceSheet>();
  const key = `${tier}/${markupBp}`;
  const known = sheets.get(key);
  if (known) return known;
  const sheet = makeSheet(forTier(prices, tier), markupBp);
  made.set(prices, sheets.set(key, sheet));
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
  return { prices, markupBp, free: isFree(prices), version, text };
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
