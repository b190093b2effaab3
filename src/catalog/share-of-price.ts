import { ceilDivide } from "./decimal.ts";
import { PRICE_COMPONENTS, type Price, type PriceComponent, type Prices } from "./price.ts";

const made = new WeakMap<Prices, Map<number, Prices>>();

/** A list with so many percent of every price, rounded up to the femto-USD. Made once for each list. */
export function shareOfPrices(prices: Prices, percent: number): Prices {
  if (percent === 100) return prices;
  const shares = made.get(prices) ?? new Map<number, Prices>();
  const known = shares.get(percent);
  if (known) return known;
  const part = (amount: bigint): bigint => ceilDivide(amount * BigInt(percent), 100n);
  const share: Partial<Record<PriceComponent, Price>> = {};
  for (const component of PRICE_COMPONENTS) {
    const price = prices[component];
    if (price) share[component] = sharedPrice(price, part);
  }
  made.set(prices, shares.set(percent, share));
  return share;
}

function sharedPrice({ base, tiers, services }: Price, part: (amount: bigint) => bigint): Price {
  const shared: Price = { base: part(base), tiers: tiers.map((tier) => ({ ...tier, price: part(tier.price) })) };
  if (!services) return shared;
  const names = Object.keys(services) as (keyof typeof services)[];
  const own = names.map((name) => [name, services[name] && sharedPrice(services[name], part)]);
  return { ...shared, services: Object.fromEntries(own) };
}
