import { PRICE_FIELDS, SERVICE_SUFFIXES } from "../catalog/own-prices.ts";
import { PRICE_COMPONENTS, type Price, type Prices, toUsd } from "../catalog/price.ts";

/** A price list under the names that model information has, in USD per unit. */
export function priceFields(prices: Prices | null): Record<string, number> {
  const fields: Record<string, number> = {};
  for (const component of PRICE_COMPONENTS) {
    const price = prices?.[component];
    const [name] = PRICE_FIELDS[component];
    if (price && name !== undefined) addPrice(fields, name, price);
  }
  return fields;
}

function addPrice(fields: Record<string, number>, name: string, price: Price, suffix = ""): void {
  fields[name + suffix] = toUsd(price.base);
  for (const tier of price.tiers) {
    fields[`${name}_above_${Math.round(tier.aboveTokens / 1000)}k_tokens${suffix}`] = toUsd(tier.price);
  }
  for (const [service, ending] of SERVICE_SUFFIXES) {
    const own = price.services?.[service];
    if (own) addPrice(fields, name, own, ending);
  }
}
