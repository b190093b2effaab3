import { chargedPrices, neededFields } from "../catalog/charged-prices.ts";
import { modeOfModel } from "../catalog/model-facts.ts";
import type { PriceTable } from "../catalog/price-table.ts";
import type { Fault } from "../config/fault.ts";
import type { Deployment } from "../contract/deployment.ts";
import type { Operation } from "../contract/params.ts";
import { operationOfMode } from "../gateway/supported-params.ts";
import { isWildcard } from "../lib/wildcard.ts";
import { findProvider } from "../providers/registry.ts";

type Finder = Pick<PriceTable, "find">;

/**
 * Groups whose calls nobody could be charged for, so that every key is refused: better said at the start than at the first call.
 * Says nothing of deployments whose price stands in a list that is not loaded yet, or that stand for many models.
 */
export function unpricedModels(
  deployments: readonly Deployment[],
  prices: Finder,
  places: ReadonlyMap<Deployment, Omit<Fault, "message">> = new Map(),
): Fault[] {
  return [...Map.groupBy(deployments, ({ group }) => group).values()].flatMap((group) => {
    for (const deployment of group) {
      const message = unpricedModel(deployment, group, prices);
      if (message !== null) return [{ ...(places.get(deployment) ?? whereOf(deployment)), message }];
    }
    return [];
  });
}

/** The same of one deployment, among those of its group. */
export function unpricedModel(deployment: Deployment, group: readonly Deployment[], prices: Finder): string | null {
  const operation = unpricedOperation(deployment, prices);
  if (operation === null) return null;
  const name = deployment.group;
  const unpriced = group.filter((other) => unpricedOperation(other, prices) !== null).length;
  const whose =
    unpriced >= group.length ? `\`${name}\` has` : `${unpriced} of ${group.length} deployments of \`${name}\` have`;
  return (
    `${whose} no known price: calls with keys are refused (400 price_unknown). ` +
    `State ${neededFields(operation)}, in \`model_info\`.`
  );
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
