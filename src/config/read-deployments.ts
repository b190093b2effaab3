import type { Deployment } from "../contract/deployment.ts";
import { DeploymentReader } from "./deployment-reader.ts";
import type { Place } from "./fault.ts";
import type { Params } from "./read-param.ts";
import type { Scope } from "./scope.ts";
import { childPath, describe, isNull, type Node } from "./tree.ts";

/** A deployment of the file, and where it stands there. */
export interface PlacedModel {
  readonly deployment: Deployment;
  readonly at: Place;
  readonly path: string;
}

export function readDeployments(
  scope: Scope,
  node: Node | undefined,
  credentials: ReadonlyMap<string, Params>,
): readonly PlacedModel[] {
  if (node === undefined || isNull(node)) return [];
  if (node.kind !== "list") {
    scope.report.fault(node.at, "model_list", `expected a list of models, found ${describe(node)}`);
    return [];
  }
  const models: PlacedModel[] = [];
  const places = new Map<string, string>();
  for (const [index, item] of node.items.entries()) {
    const path = childPath("model_list", index);
    const deployment = new DeploymentReader(scope, credentials, path).read(item);
    if (deployment === null) continue;
    const earlier = places.get(deployment.id);
    if (earlier === undefined) {
      places.set(deployment.id, `${path} (${lineOf(item.at)})`);
      models.push({ deployment, at: item.at, path });
    } else reportTwin(scope, item, path, earlier);
  }
  return models;
}

/** Every name that the list gives, also those of models with a fault: other places may name them without another. */
export function listGroupNames(node: Node | undefined): readonly string[] {
  const items = node?.kind === "list" ? node.items : [];
  return items.flatMap((item) => {
    const name = item.kind === "map" ? item.entries.get("model_name")?.value : undefined;
    return name?.kind === "scalar" ? [name.text] : [];
  });
}

function lineOf(at: Place): string {
  return at.line === null ? at.file : `${at.file}:${at.line}`;
}

function reportTwin(scope: Scope, item: Node, path: string, earlier: string): void {
  const info = item.kind === "map" ? item.entries.get("model_info")?.value : undefined;
  const id = info?.kind === "map" ? info.entries.get("id")?.value : undefined;
  if (id !== undefined) {
    scope.report.fault(id.at, `${path}.model_info.id`, `the same id is used by ${earlier}; ids must differ`);
  } else {
    const advice = "the second is ignored: remove it, or give each a `model_info.id` or a `weight`";
    scope.report.warn(item.at, path, `the deployment is the same as ${earlier}; ${advice}`);
  }
}
