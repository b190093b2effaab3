import { basePrice } from "../catalog/model-facts.ts";
import { type PriceTable, statedLimits, type Tariff } from "../catalog/price-table.ts";
import type { Deployment } from "../contract/deployment.ts";
import { Router, type RouterDeps } from "../gateway/routing/router.ts";

const FEMTO = 1e15;

/** The router over the prices and limits of models that are at hand. It never waits for them. */
export function composeRouter(
  deps: Pick<RouterDeps, "settings" | "clock" | "random" | "roomInMs" | "budgetsOf" | "lacksOf"> & {
    readonly prices: PriceTable;
  },
): Router {
  const { prices } = deps;
  const summed = new WeakMap<Tariff, number | null>();
  const sumOf = (tariff: Tariff): number | null => {
    const known = summed.get(tariff);
    if (known !== undefined) return known;
    const sum = sumOfPrices(tariff);
    summed.set(tariff, sum);
    return sum;
  };
  return new Router({
    ...deps,
    limitsOf: (deployment: Deployment) => prices.find(deployment) ?? statedLimits(deployment),
    priceOf(deployment: Deployment) {
      const tariff = prices.find(deployment);
      return tariff && sumOf(tariff);
    },
  });
}

function sumOfPrices({ prices, free }: Tariff): number | null {
  if (free) return 0;
  const [input, output] = [basePrice(prices, "input"), basePrice(prices, "output")];
  return input === null && output === null ? null : Number((input ?? 0n) + (output ?? 0n)) / FEMTO;
}
