import { chargedPrices, neededFields } from "../catalog/charged-prices.ts";
import { modeOfModel } from "../catalog/model-facts.ts";
import type { PriceTable } from "../catalog/price-table.ts";
import type { UnpricedModels } from "../config/config.ts";
import type { Fault } from "../config/fault.ts";
import type { Deployment } from "../contract/deployment.ts";
import type { Operation } from "../contract/params.ts";
import { operationOfMode } from "../gateway/info/supported-params.ts";
import { isWildcard } from "../lib/wildcard.ts";
import { findProvider } from "../providers/registry.ts";

type Finder = Pick<PriceTable, "find">;

/**
 * Warns of groups without a known price, whose calls are refused or not charged. Says nothing of deployments whose price is
 * in a list that is not loaded yet.
 */
export function unpricedModels(
  deployments: readonly Deployment[],
  prices: Finder,
  policy: UnpricedModels,
  places: ReadonlyMap<Deployment, Omit<Fault, "message">> = new Map(),
): Fault[] {
  return [...Map.groupBy(deployments, ({ group }) => group).values()].flatMap((group) => {
    for (const deployment of group) {
      const message = unpricedModel(deployment, group, prices, policy);
      if (message !== null) return [{ ...(places.get(deployment) ?? whereOf(deployment)), message }];
    }
    return [];
  });
}

const CONSEQUENCES: Readonly<Record<UnpricedModels, string>> = {
  refuse: "calls with keys are refused (400 price_unknown)",
  free: "calls are not charged (`unpriced_models: free`)",
};

/** The same of one deployment, among those of its group. */
export function unpricedModel(
  deployment: Deployment,
  group: readonly Deployment[],
  prices: Finder,
  policy: UnpricedModels,
): string | null {
  if (isUnpricedPattern(deployment, prices))
    return `\`${deployment.group}\` may serve models without a known price: ${CONSEQUENCES[policy]}.`;
  const operation = unpricedOperation(deployment, prices);
  if (operation === null) return null;
  const name = deployment.group;
  const unpriced = group.filter((other) => unpricedOperation(other, prices) !== null).length;
  const whose =
    unpriced >= group.length ? `\`${name}\` has` : `${unpriced} of ${group.length} deployments of \`${name}\` have`;
  return `${whose} no known price: ${CONSEQUENCES[policy]}. ` + `State ${neededFields(operation)}, in \`model_info\`.`;
}

/** A pattern whose models are charged by the model table, which does not have all of them. */
function isUnpricedPattern(deployment: Deployment, prices: Finder): boolean {
  if (deployment.provider !== "*" && !isWildcard(deployment.upstreamModel)) return false;
  const pricing = prices.find(deployment);
  return pricing !== null && !pricing.free && pricing.prices === null;
}

const whereOf = ({ stored }: Deployment) => ({
  ...(stored ? { file: "database", path: "" } : { file: "configuration", path: "model_list" }),
  line: null,
  column: null,
});

/** What a deployment is called for without anybody knowing what that costs; null where it is known, or cannot be said. */
function unpricedOperation(deployment: Deployment, prices: Finder): Operation | null {
  const { provider, upstreamModel } = deployment;
  if (provider === "*" || isWildcard(upstreamModel) || !findProvider(provider)) return null;
  const operation = operationOfMode(modeOfModel(deployment));
  const tariff = operation === null ? null : prices.find(deployment);
  if (operation === null || tariff === null || tariff.free) return null;
  return tariff.prices !== null && chargedPrices(tariff.prices, operation) !== null ? null : operation;
}
