import type { Catalog } from "../catalog/catalog.ts";
import type { KeyCaller } from "../contract/caller.ts";
import type { Deployment } from "../contract/deployment.ts";
import { GatewayError } from "../contract/errors.ts";

/** The deployments behind a name, if this caller may call it. A name that exists but is not allowed is said so: 403. */
export function resolveForCaller(catalog: Catalog, caller: KeyCaller, name: string): readonly Deployment[] {
  const deployments = catalog.resolve(name);
  const [first] = deployments;
  if (!first) throw new GatewayError("model_not_found", `The model \`${name}\` does not exist.`, { param: "model" });
  if (!mayCall(caller, name, first.group)) {
    throw new GatewayError("permission", `This key may not call the model \`${name}\`.`, { param: "model" });
  }
  return deployments;
}

/** An empty list allows everything; `provider/*` allows what begins with it. */
export function mayCall(caller: KeyCaller, name: string, group: string): boolean {
  if (caller.models.length === 0) return true;
  return caller.models.some((allowed) =>
    allowed.endsWith("*") ? name.startsWith(allowed.slice(0, -1)) : allowed === name || allowed === group,
  );
}
