import { chargedPrices, neededFields } from "../catalog/charged-prices.ts";
import { modeOfModel } from "../catalog/model-facts.ts";
import type { PriceTable } from "../catalog/price-table.ts";
import { isWildcard } from "../catalog/wildcard.ts";
import type { Fault } from "../config/fault.ts";
import type { Deployment } from "../contract/deployment.ts";
import type { Operation } from "../contract/params.ts";
import { operationOfMode } from "../gateway/supported-params.ts";
import { findProvider } from "../providers/registry.ts";

/**
 * Groups whose calls nobody could be charged for, so that every key is refused: better said at the start than at the first call.
 * Says nothing of deployments whose price stands in a list that is not loaded yet, or that stand for many models.
 */
export function unpricedModels(deployments: readonly Deployment[], prices: Pick<PriceTable, "find">): Fault[] {
  const groups = new Map<string, { all: number; unpriced: Operation[] }>();
  for (const deployment of deployments) {
    const group = groups.get(deployment.group) ?? { all: 0, unpriced: [] };
    groups.set(deployment.group, group);
    group.all += 1;
    const operation = unpricedOperation(deployment, prices);
    if (operation !== null) group.unpriced.push(operation);
  }
  return [...groups].flatMap(([name, { all, unpriced }]) => {
    const [operation] = unpriced;
    if (operation === undefined) return [];
    const fields = neededFields(operation).map((field) => `\`${field}\``);
    const whose =
      unpriced.length === all ? `\`${name}\` has` : `${unpriced.length} of ${all} deployments of \`${name}\` have`;
    const message =
      `${whose} no known price: calls with keys are refused (400 price_unknown). ` +
      `State ${fields.join(" and ")}, or \`free: true\`, in \`model_info\`.`;
    return [{ file: "configuration", line: null, column: null, path: "model_list", message }];
  });
}

/** What a deployment is called for without anybody knowing what that costs; null where it is known, or cannot be said. */
function unpricedOperation(deployment: Deployment, prices: Pick<PriceTable, "find">): Operation | null {
  const { provider, upstreamModel } = deployment;
  if (provider === "*" || isWildcard(upstreamModel) || !findProvider(provider)) return null;
  const operation = operationOfMode(modeOfModel(deployment));
  const tariff = operation === null ? null : prices.find(deployment);
  if (operation === null || tariff === null || tariff.free) return null;
  return tariff.prices !== null && chargedPrices(tariff.prices, operation) !== null ? null : operation;
}
