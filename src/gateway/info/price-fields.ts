import { priceFieldsOf } from "../../catalog/own-prices.ts";
import { type Prices, toUsd } from "../../catalog/price.ts";

/** A price list under the names that model information has, in USD per unit. */
export const priceFields = (prices: Prices | null): Record<string, number> =>
  Object.fromEntries(priceFieldsOf(prices ?? {}).map(({ field, price }) => [field, toUsd(price)]));
