import type { GroupAlias } from "./config.ts";
import type { CallableNames } from "./fallbacks.ts";
import { keyTable } from "./keys/key-table.ts";
import { readText } from "./read-value.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";
import { childPath, isNull, type Node } from "./tree.ts";

const ALIAS = keyTable({ served: "model hidden" });

/** `model_group_alias`: `alias: group`, or `alias: { model: group, hidden: true }`. */
export function readAliases(router: Section, names: CallableNames): Record<string, GroupAlias> {
  warnOfTaken(router, names);
  return readEach(router, "model_group_alias", (node, path) => {
    if (node.kind !== "map") {
      const model = readTarget(router, node, path, names);
      return model === null ? null : { model, hidden: false };
    }
    const alias = new Section(router.scope).add(node, path, "model_group_alias", ALIAS);
    const field = alias.field("model");
    alias.require("model", node.at, path, "; it names the group");
    const model = field === null ? null : readTarget(router, field.node, field.path, names);
    const hidden = alias.boolean("hidden") ?? false;
    return model === null ? null : { model, hidden };
  });
}

/** A group, or a deployment by its id, comes before an alias of the same name. */
function warnOfTaken(router: Section, names: CallableNames): void {
  const map = router.map("model_group_alias");
  for (const [name, { keyAt }] of map?.node.entries ?? []) {
    if (!names.isExact(name)) continue;
    const message = `this alias is never used: \`${shown(name)}\` is a model by itself, and that is called`;
    router.scope.report.warn(keyAt, childPath(map?.path ?? "", name), message);
  }
}

/** `model_alias_map`: `alias: name`. */
export function readModelAliases(gateway: Section, names: CallableNames): Record<string, string> {
  return readEach(gateway, "model_alias_map", (node, path) => readTarget(gateway, node, path, names));
}

function readEach<T>(section: Section, key: string, read: (node: Node, path: string) => T | null): Record<string, T> {
  const map = section.map(key);
  const values = new Map<string, T>();
  for (const [name, { value }] of map?.node.entries ?? []) {
    const result = isNull(value) ? null : read(value, childPath(map?.path ?? key, name));
    if (result !== null) values.set(name, result);
  }
  return Object.fromEntries(values);
}

function readTarget(section: Section, node: Node, path: string, names: CallableNames): string | null {
  const target = readText(section.scope, node, path);
  if (target !== null && !names.has(target)) {
    const message = `no model is called \`${shown(target)}\`${names.suggestion(target)}`;
    section.scope.report.warn(node.at, path, message);
  }
  return target;
}
