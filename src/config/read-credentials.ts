import { CREDENTIAL_ENTRY } from "./keys/top-level.ts";
import { type Params, readParam } from "./read-param.ts";
import type { Scope } from "./scope.ts";
import { Section } from "./section.ts";
import { childPath, describe, isNull, type Node } from "./tree.ts";
import { warnParam } from "./warn-param.ts";

/** `credential_list`: name -> the parameters that a deployment takes over when it names the credential. */
export function readCredentials(scope: Scope, node: Node | undefined): ReadonlyMap<string, Params> {
  const path = "credential_list";
  const credentials = new Map<string, Params>();
  if (node === undefined || isNull(node)) return credentials;
  if (node.kind !== "list") {
    scope.report.fault(node.at, path, `expected a list, found ${describe(node)}`);
    return credentials;
  }
  for (const [index, item] of node.items.entries()) {
    const itemPath = childPath(path, index);
    const entry = new Section(scope).add(item, itemPath, "credential_list", CREDENTIAL_ENTRY);
    const name = entry.text("credential_name");
    const values = entry.map("credential_values");
    if (item.kind !== "map") continue;
    entry.require("credential_name", item.at, itemPath);
    entry.require("credential_values", item.at, itemPath);
    if (name === null || values === null) continue;
    if (credentials.has(name)) entry.fault("credential_name", "another credential has this name");
    const params = new Map<string, unknown>();
    for (const [key, value] of values.node.entries) {
      const path = childPath(values.path, key);
      warnParam(scope, value, path, "credential_values", key);
      const param = readParam(scope, key, value.value, path);
      if (param !== null) params.set(key, param);
    }
    credentials.set(name, params);
  }
  return credentials;
}
