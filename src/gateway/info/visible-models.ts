import type { Catalog } from "../../catalog/catalog.ts";
import type { ModelBook } from "../../catalog/model-facts.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { withModel } from "../../contract/upstream-form.ts";
import { countStars, fillWildcard, isWildcard, matchWildcard } from "../../lib/wildcard.ts";
import type { GatewayDeps } from "../call/gateway.ts";
import { findForCaller, mayCall } from "../pipeline/authorize-model.ts";

/** A name that a caller can see, and what stands behind it. */
export interface VisibleModel {
  readonly name: string;
  readonly deployments: readonly Deployment[];
}

/** Groups and open aliases that this caller may call, patterns among them as they are written. */
export function visibleGroups(catalog: Catalog, caller: KeyCaller): VisibleModel[] {
  const groups = catalog.groupNames().map((name) => ({ name, deployments: catalog.group(name) }));
  const aliases = catalog.aliasNames().map((name) => ({ name, deployments: catalog.resolve(name) }));
  return [...groups, ...aliases].filter((model) => isVisible(catalog, caller, model));
}

/** Names that this caller can send: those of `visibleGroups`, with known models in place of each pattern. */
export async function visibleModels(
  deps: Pick<GatewayDeps, "catalog" | "prices">,
  caller: KeyCaller,
): Promise<VisibleModel[]> {
  const catalog = deps.catalog();
  const groups = visibleGroups(catalog, caller).filter(({ name }) => !isWildcard(name));
  const plain = [...groups, ...callable(catalog, caller, Object.keys(caller.aliases ?? {}))];
  const patterns = catalog.groupNames().filter(isWildcard);
  if (patterns.length === 0) return unique(plain);
  const book = await deps.prices.book();
  const known = patterns.flatMap((pattern) => expand(pattern, catalog.group(pattern), book));
  // A list may name a model that only a pattern leads to.
  const named = callable(
    catalog,
    caller,
    [caller.models, ...caller.within].flat().filter((name) => !isWildcard(name)),
  );
  return unique([...plain, ...named, ...known.filter((one) => isVisible(catalog, caller, one))]);
}

const callable = (catalog: Catalog, caller: KeyCaller, names: readonly string[]): VisibleModel[] =>
  names
    .map((name) => ({ name, deployments: findForCaller(catalog, caller, name) }))
    .filter(({ deployments }) => deployments.length > 0);

/** Each name once, as it first stands. */
function unique(models: readonly VisibleModel[]): VisibleModel[] {
  const all = new Map<string, VisibleModel>();
  for (const model of models) if (!all.has(model.name)) all.set(model.name, model);
  return [...all.values()];
}

/** One name, if it leads somewhere and this caller may call it. */
export function findVisible(catalog: Catalog, caller: KeyCaller, name: string): VisibleModel | null {
  const deployments = findForCaller(catalog, caller, name);
  return deployments.length > 0 ? { name, deployments } : null;
}

/** Names of access groups that one of these models is in. */
export const accessGroups = (models: readonly VisibleModel[]): string[] => [
  ...new Set(
    models
      .flatMap(({ deployments }) => deployments.map(({ info }) => info.access_groups))
      .flatMap((groups) => (Array.isArray(groups) ? groups.filter((name) => typeof name === "string") : [])),
  ),
];

const isVisible = (catalog: Catalog, caller: KeyCaller, { name, deployments }: VisibleModel): boolean =>
  mayCall(catalog, caller, name, deployments[0]?.group ?? name);

/**
 * The names that a pattern stands for among the models that are known. A pattern for every provider is not spelled out:
 * what it reaches depends on keys that only the moment of a call shows.
 */
function expand(pattern: string, deployments: readonly Deployment[], book: ModelBook): VisibleModel[] {
  return deployments.flatMap((deployment) => {
    const { provider, upstreamModel } = deployment;
    if (countStars(pattern) !== countStars(upstreamModel)) return [];
    return book.knownModels(provider).flatMap((model) => {
      const captures = matchWildcard(upstreamModel, model);
      if (captures === null) return [];
      return [{ name: fillWildcard(pattern, captures), deployments: [withModel(deployment, model)] }];
    });
  });
}
