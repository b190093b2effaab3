import { ceilDivide, decimalText, parseNearest, parseScaled } from "./decimal.ts";

/** What a price is for. A unit is one token, picture, second of sound, character or request. */
export const PRICE_COMPONENTS = [
  "input",
  "output",
  "cache_read",
  "cache_read_audio",
  "cache_write",
  "cache_write_1h",
  "reasoning",
  "audio_input",
  "audio_output",
  "image_input",
  "image_output",
  "image",
  "second",
  "character",
  "request",
] as const;
export type PriceComponent = (typeof PRICE_COMPONENTS)[number];

/** How soon a provider promises to answer; some ask another price for it. */
export const SERVICE_TIERS = ["standard", "flex", "priority", "batch"] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** Femto-USD (10^-15 USD) per unit: fine enough for the smallest price per token that anybody asks. */
export interface Price {
  readonly base: bigint;
  /** Other prices for the whole call once its prompt is longer than so many tokens; the shortest first. */
  readonly tiers: readonly { readonly aboveTokens: number; readonly price: bigint }[];
  /** What other service tiers cost in its place. */
  readonly services?: Readonly<Partial<Record<Exclude<ServiceTier, "standard">, Price>>>;
}

/** A price list. What it does not name costs what its parent costs, and otherwise nothing. */
export type Prices = Readonly<Partial<Record<PriceComponent, Price>>>;

/** Components that are a kind of another one: without a price of their own they have that one's. */
export const PARENTS: Readonly<Partial<Record<PriceComponent, PriceComponent>>> = {
  cache_read: "input",
  cache_read_audio: "cache_read",
  cache_write: "input",
  cache_write_1h: "cache_write",
  audio_input: "input",
  image_input: "input",
  reasoning: "output",
  audio_output: "output",
  image_output: "output",
};

const FEMTO_DIGITS = 15;
const FEMTO_PER_NANO = 1_000_000n;
/** Seconds are counted in thousandths, so every product carries this factor until the one division. */
export const MILLI = 1_000n;

/** USD per unit, as text or number, to femto-USD per unit. */
export const parsePrice = (usd: unknown): bigint | null => parseScaled(usd, FEMTO_DIGITS);

/** The same, rounded half to even, and whether it was whole femto-USD as it stood. */
export const parseNearestPrice = (usd: unknown) => parseNearest(usd, FEMTO_DIGITS);

/** USD per so many units (a power of ten) to femto-USD per unit. */
export const parsePricePer = (usd: unknown, unitsExponent: number): bigint | null =>
  parseScaled(usd, FEMTO_DIGITS - unitsExponent);

export const flatPrice = (base: bigint): Price => ({ base, tiers: [] });

/** Femto-USD as the USD number that people and JSON write; the nearest number to the exact decimal. */
export const toUsd = (femto: bigint): number => Number(`${femto}e-${FEMTO_DIGITS}`);

/** Femto-USD as USD in decimals, exactly. */
export const usdText = (femto: bigint): string => decimalText(femto, FEMTO_DIGITS);

export function priceAt(price: Price, promptTokens: number): bigint {
  let current = price.base;
  for (const tier of price.tiers) if (promptTokens > tier.aboveTokens) current = tier.price;
  return current;
}

/** The price of a component, its own or its parent's; undefined where the list has neither. */
export function findPrice(prices: Prices, component: PriceComponent): Price | undefined {
  const parent = PARENTS[component];
  return prices[component] ?? (parent && findPrice(prices, parent));
}

/** Thousandths of femto-USD to nano-USD: the one division of a call, rounded up. */
export const toNanoUsd = (milliFemto: bigint): bigint => ceilDivide(milliFemto, FEMTO_PER_NANO * MILLI);
