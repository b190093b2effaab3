import { deriveSecrets } from "../accounts/secrets.ts";
import type { AccountStores } from "../accounts/store.ts";
import type { Deployment } from "../contract/deployment.ts";
import type { DeploymentView } from "../contract/deployments.ts";
import type { GatewayDeps } from "../gateway/call/gateway.ts";
import type { Route } from "../http/route.ts";
import { DeploymentSwitches } from "../models/deployment-switches.ts";
import { ModelTables } from "../models/model-tables.ts";
import { OperatorRules } from "../models/operator-rules.ts";
import { PriceImports } from "../models/price-imports.ts";
import { RoutingRules } from "../models/routing-rules.ts";
import { ModelStock, type Stock } from "../models/stock.ts";
import { StoredCredentials } from "../models/stored-credentials.ts";
import { StoredGuardrails } from "../models/stored-guardrails.ts";
import { StoredModels } from "../models/stored-models.ts";
import { deploymentRoutes, viewsOf } from "../routes/admin/deployments.ts";
import { importPrices } from "../routes/admin/import-prices.ts";
import { modelTableRoutes } from "../routes/admin/model-table.ts";
import { adminModelRoutes } from "../routes/admin/models.ts";
import { providerRoutes } from "../routes/admin/providers.ts";
import { routingRuleRoutes } from "../routes/admin/routing-rules.ts";
import { adminSettings } from "../routes/admin/settings.ts";
import { credentialRoutes } from "../routes/credentials/credential-routes.ts";
import { storedModelRoutes } from "../routes/stored-models/stored-model-routes.ts";
import type { WorkerBus } from "../workers/worker-bus.ts";
import { describeSettings } from "./describe-settings.ts";
import type { LiveConfig } from "./live-config.ts";
import { missingKey } from "./missing-keys.ts";
import { unpricedModel } from "./unpriced-models.ts";

export interface Models {
  readonly stock: ModelStock;
  readonly guardrails: StoredGuardrails;
  /** Stored models that are blocked: the catalog does not have them. */
  readonly blocked: () => readonly Deployment[];
  readonly routes: readonly Route[];
}

interface ModelSurroundings {
  readonly secret: string;
  readonly workerBus: WorkerBus;
}

/** Models that are kept in the database, and the routes by which operators look after them. */
export function composeModels(
  live: LiveConfig,
  stores: AccountStores,
  gateway: GatewayDeps,
  runtime: ModelSurroundings,
): Models {
  const { sealingKey } = deriveSecrets(runtime.secret);
  const { clock, log } = gateway;
  const take = (loaded: Stock): void => {
    live.restock(loaded);
    gateway.prices.useTable(loaded.table?.table ?? null);
    gateway.router.applySwitches(loaded.switches);
  };
  const stock = new ModelStock({ stores, sealingKey, log, take });
  const changed = { refresh: runtime.workerBus.broadcast("models", () => stock.refresh()) };
  const deps = { stores, clock, sealingKey, stock: changed, present: () => live.present() };
  const rules = new OperatorRules({
    stores,
    clock,
    stock: changed,
    rules: () => live.present().stock.rules,
    isStoring: () => live.configured.storeModels,
  });
  const routing = new RoutingRules({
    rules,
    catalog: gateway.catalog,
    configured: () => live.configured,
    present: () => live.config,
  });
  runtime.workerBus.give("deployments", () => viewsOf(gateway.catalog(), gateway.router));
  const models = new StoredModels(deps, async (deployment) => [
    ...tellKeyless(deployment, gateway),
    ...(await tellUnpriced(deployment, live, gateway)),
  ]);
  const credentials = new StoredCredentials(deps);
  const routes = [
    ...storedModelRoutes({ ...gateway, models }),
    ...credentialRoutes(credentials),
    ...adminModelRoutes({ ...gateway, models }),
    importPrices(new PriceImports({ ...deps, prices: gateway.prices })),
    ...modelTableRoutes(new ModelTables({ ...deps, prices: gateway.prices })),
    ...providerRoutes({ models, credentials }),
    ...deploymentRoutes({
      ...gateway,
      switches: new DeploymentSwitches({ stores, clock, stock: changed }),
      others: () => deploymentsOfOthers(runtime.workerBus),
    }),
    ...routingRuleRoutes(routing),
    adminSettings(() => describeSettings(live.config)),
  ];
  const guardrails = new StoredGuardrails({
    rules,
    configured: () => live.configured.guardrails,
    catalog: gateway.catalog,
  });
  const blocked = () =>
    models.list().flatMap(({ status, deployment }) => (status === "disabled" && deployment ? [deployment] : []));
  return { stock, guardrails, blocked, routes };
}

/** Whether every call of a model will fail for want of the provider's key. */
function tellKeyless(deployment: Deployment, { env }: Pick<GatewayDeps, "env">): readonly string[] {
  const message = missingKey(deployment, env);
  return message === null ? [] : [message];
}

/** Whether keys cannot call a model that is in use since a moment: the log says so as it does at the start. */
async function tellUnpriced(
  deployment: Deployment,
  { catalog, config }: LiveConfig,
  { prices, log }: Pick<GatewayDeps, "prices" | "log">,
): Promise<readonly string[]> {
  await prices.load();
  const group = catalog.deployments.filter((other) => other.group === deployment.group);
  const message = unpricedModel(deployment, group, prices, config.billing.unpricedModels);
  if (message === null) return [];
  log.warn({ modelId: deployment.id }, message);
  return [message];
}

/** With what was changed here just now: an operator sees what came of it. */
async function deploymentsOfOthers(workerBus: WorkerBus): Promise<readonly (readonly DeploymentView[])[]> {
  await workerBus.told();
  return workerBus.collect<readonly DeploymentView[]>("deployments");
}
