import type { Catalog } from "../catalog/catalog.ts";
import type { Deployment } from "../catalog/deployment.ts";
import type { KeyCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";

/** The deployments behind a name, if this caller may call it. A name that exists but is not allowed is said so: 403. */
export function resolveForCaller(catalog: Catalog, caller: KeyCaller, name: string): readonly Deployment[] {
  const deployments = catalog.resolve(name);
  const [first] = deployments;
  if (!first) throw new GatewayError("model_not_found", `The model \`${name}\` does not exist.`, { param: "model" });
  if (caller.models.length > 0 && !caller.models.includes(name) && !caller.models.includes(first.group)) {
    throw new GatewayError("permission", `This key may not call the model \`${name}\`.`, { param: "model" });
  }
  return deployments;
}
