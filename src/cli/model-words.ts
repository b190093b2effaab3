import { decimalText } from "../contract/decimal-text.ts";
import { dollars, dollarText } from "../contract/money.ts";

export interface Priced {
  readonly component: string;
  /** Nano-USD for a million units, which are femto-USD for one. */
  readonly price: number;
}

const FEMTO_DIGITS = 15;
const MILLION_DIGITS = 6;

/** Prices that are not for tokens, and that nobody thinks of by the million. */
const UNITS: ReadonlySet<string> = new Set(["image", "second", "character", "request"]);
const isOfTokens = ({ component }: Priced): boolean => !UNITS.has(component);

/** What a model costs, as price lists tell it; null where it has no price. */
export function priceWords(pricing: readonly Priced[]): string | null {
  const tokens = pricing.filter(isOfTokens).map(({ component, price }) => `${component} ${dollars(price)}`);
  const units = pricing
    .filter((one) => !isOfTokens(one))
    .map(({ component, price }) => `${dollarText(decimalText(BigInt(price), FEMTO_DIGITS))} per ${component}`);
  const parts = [...(tokens.length === 0 ? [] : [`${tokens.join(", ")} per million tokens`]), ...units];
  return parts.length === 0 ? null : `Price: ${parts.join("; ")}.`;
}

const MODEST_MAX_USD = 1_000;
const MODEST_MAX_NANO = MODEST_MAX_USD * 1e9;

/** Price lists are for a million tokens: one that was copied from there is a million times too much. */
export function immodestPrices(pricing: readonly Priced[]): string | null {
  const meant = pricing
    .filter((one) => isOfTokens(one) && one.price > MODEST_MAX_NANO)
    .map(({ component, price }) => `${component}=${decimalText(BigInt(price), FEMTO_DIGITS + MILLION_DIGITS)}`);
  if (meant.length === 0) return null;
  const over = `--price is USD per token, and this is over $${MODEST_MAX_USD} per million.`;
  return `${over} Did you mean --price ${meant.join(" ")}?`;
}
