import type { Catalog } from "../../catalog/catalog.ts";
import type { ModelBook } from "../../catalog/model-facts.ts";
import { readMarkup } from "../../catalog/own-prices.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { PlatformModel } from "../../contract/platform-models.ts";
import type { GatewayDeps } from "../../gateway/call/gateway.ts";
import { describePlatformModel, priceStatusOf } from "../../gateway/info/platform-model.ts";

/** What the routes of the public catalogue stand on. */
export type CatalogDeps = Pick<GatewayDeps, "catalog" | "clock" | "prices" | "router" | "settings">;

/** Hundredths of a percent in the whole. */
const WHOLE_BP = 10_000n;

/** Every group that can be called by name; a wildcard stands for names that nobody has listed. */
export async function platformModels(deps: CatalogDeps): Promise<PlatformModel[]> {
  const book = await deps.prices.book();
  const catalog = deps.catalog();
  return listedNames(catalog).flatMap((name) => describeModel(deps, book, name, catalog.resolve(name)) ?? []);
}

export async function findPlatformModel(deps: CatalogDeps, name: string): Promise<PlatformModel | null> {
  const catalog = deps.catalog();
  if (!listedNames(catalog).includes(name)) return null;
  return describeModel(deps, await deps.prices.book(), name, catalog.resolve(name));
}

const listedNames = (catalog: Catalog): string[] => catalog.groupNames().filter((name) => !name.includes("*"));

export function describeModel(
  deps: CatalogDeps,
  book: ModelBook,
  name: string,
  deployments: readonly Deployment[],
): PlatformModel | null {
  const [first] = deployments;
  if (!first) return null;
  const now = deps.clock.nowMs();
  const model = describePlatformModel(name, first, book.factsFor(first, now)) as PlatformModel;
  const markupBp = readMarkup(first.info) ?? deps.settings().markupBp;
  // One that can be charged is enough for calls to come through.
  const priceStatus =
    deployments.map((one) => priceStatusOf(one, book.factsFor(one, now))).find((status) => status !== "unknown") ??
    "unknown";
  return { ...withMarkup(model, markupBp), priceStatus, status: statusOf(deps, deployments) };
}

/** What callers are charged, not what the provider asks of us. A part of a nano-USD is rounded up. */
function withMarkup(model: PlatformModel, markupBp: bigint): PlatformModel {
  if (markupBp === 0n) return model;
  const marked = (price: number): number => Number((BigInt(price) * (WHOLE_BP + markupBp) + WHOLE_BP - 1n) / WHOLE_BP);
  const orNull = (price: number | null): number | null => (price === null ? null : marked(price));
  return {
    ...model,
    inputPrice: orNull(model.inputPrice),
    outputPrice: orNull(model.outputPrice),
    cachedInputPrice: orNull(model.cachedInputPrice),
    pricing: model.pricing.map(({ component, price }) => ({ component, price: marked(price) })),
  };
}

/** As the process that answers sees it. */
function statusOf({ router }: CatalogDeps, deployments: readonly Deployment[]): PlatformModel["status"] {
  const views = router.describe(deployments).filter(({ enabled }) => enabled);
  const well = views.filter(({ state, lacks }) => state === "well" && lacks === null).length;
  if (views.every(({ state, lacks }) => NOT_SERVING.has(state) || lacks !== null)) return "unavailable";
  return well === views.length ? "active" : "degraded";
}

const NOT_SERVING: ReadonlySet<string> = new Set(["resting", "unwell", "spent"]);
