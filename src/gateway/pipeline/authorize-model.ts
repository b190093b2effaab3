import type { Catalog } from "../../catalog/catalog.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import { EVERY_MODEL } from "../../contract/model-lists.ts";
import { shortName } from "../../lib/short-name.ts";
import { isWildcard, matchWildcard } from "../../lib/wildcard.ts";

/** The deployments behind a name, if this caller may call it. A name that exists but is not allowed is said so: 403. */
export function resolveForCaller(
  catalog: Catalog,
  caller: KeyCaller,
  name: string,
  param = "model",
): readonly Deployment[] {
  const target = targetOf(caller, name);
  const deployments = catalog.resolve(target);
  const [first] = deployments;
  if (!first) {
    const message = `The model \`${shortName(name, 512)}\` does not exist. GET /v1/models lists those that do.`;
    throw new GatewayError("model_not_found", message, { param });
  }
  if (!mayCall(catalog, caller, target, first.group) && !mayCall(catalog, caller, name, first.group)) {
    throw new GatewayError("permission", `This key may not call the model \`${shortName(name, 512)}\`.`, { param });
  }
  return deployments;
}

/** The same for who only wants to know: none where the name leads nowhere or is not allowed. */
export function findForCaller(catalog: Catalog, caller: KeyCaller, name: string): readonly Deployment[] {
  const target = targetOf(caller, name);
  const resolved = catalog.resolve(target);
  const deployments = resolved.length > 0 ? resolved : catalog.group(target);
  const group = deployments[0]?.group ?? target;
  return mayCall(catalog, caller, target, group) || mayCall(catalog, caller, name, group) ? deployments : [];
}

/** What a name of the caller's own stands for; it is looked up before anything else. */
export const targetOf = ({ aliases }: KeyCaller, name: string): string =>
  aliases !== null && Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;

/** Whether every list that holds for the caller has it: the key's own, its team's and its organization's. */
export function mayCall(catalog: Catalog, { models, within }: KeyCaller, name: string, group: string): boolean {
  return allows(catalog, models, name, group) && within.every((list) => allows(catalog, list, name, group));
}

/** A list holds names, patterns such as `provider/*`, and access groups; an empty one allows everything. */
function allows(catalog: Catalog, list: readonly string[], name: string, group: string): boolean {
  if (list.length === 0) return true;
  return list.some((allowed) => {
    if (allowed === name || allowed === group || EVERY_MODEL.has(allowed)) return true;
    if (!isWildcard(allowed)) return catalog.isMember(allowed, group);
    return matchWildcard(allowed, name) !== null || matchWildcard(allowed, group) !== null;
  });
}
