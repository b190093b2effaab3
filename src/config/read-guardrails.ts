import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { FOREIGN_GUARDRAILS } from "../contract/foreign-guardrails.ts";
import {
  GUARDRAIL_KINDS,
  type GuardrailDefinition,
  type GuardrailParams,
  toGuardrail,
} from "../contract/guardrails.ts";
import type { CallableNames } from "./fallbacks.ts";
import { readGuardrailParams } from "./guardrail-params.ts";
import { GUARDRAIL_ENTRY, GUARDRAIL_PARAMS } from "./keys/guardrails.ts";
import { foundIn } from "./read-value.ts";
import { plainValue, type Scope } from "./scope.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";
import { childPath, describe, isNull, type Mapping, type Node } from "./tree.ts";

const PATH = "guardrails";
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/ -]{0,99}$/;

/** What does not fit is a fault, never left out: a guardrail that somebody relies on must not be missing in silence. */
export function readGuardrails(
  scope: Scope,
  node: Node | undefined,
  names: CallableNames,
): readonly GuardrailDefinition[] {
  if (node === undefined || isNull(node)) return [];
  if (node.kind !== "list") {
    scope.report.fault(node.at, PATH, `expected a list, found ${describe(node)}`);
    return [];
  }
  const found = new Map<string, GuardrailDefinition>();
  for (const [index, item] of node.items.entries()) {
    const path = childPath(PATH, index);
    const entry = new Section(scope).add(item, path, PATH, GUARDRAIL_ENTRY);
    if (item.kind !== "map") continue;
    const definition = readOne(scope, entry, item, path, names);
    if (definition === null) continue;
    if (found.has(definition.name)) entry.fault("guardrail_name", "another guardrail has this name");
    found.set(definition.name, definition);
  }
  return [...found.values()];
}

function readOne(
  scope: Scope,
  entry: Section,
  item: Mapping,
  path: string,
  names: CallableNames,
): GuardrailDefinition | null {
  entry.require("guardrail_name", item.at, path);
  entry.require("litellm_params", item.at, path);
  const name = entry.text("guardrail_name");
  const params = entry.map("litellm_params");
  const info = entry.map("guardrail_info");
  if (name === null || params === null) return null;
  if (!NAME.test(name)) entry.fault("guardrail_name", "use letters, digits, blanks and _ . : / - (at most 100)");
  const read = readParams(scope, params.node, params.path, names);
  if (read === null) return null;
  const told = info === null ? {} : (plainValue(scope, info.node, info.path) as Record<string, unknown>);
  return toGuardrail(name, read, told);
}

function readParams(scope: Scope, node: Mapping, path: string, names: CallableNames): GuardrailParams | null {
  const section = new Section(scope).add(node, path, "litellm_params", GUARDRAIL_PARAMS);
  section.require("guardrail", node.at, path);
  const kind = section.field("guardrail");
  if (kind === null) return null;
  const foreign = kind.node.kind === "scalar" ? FOREIGN_GUARDRAILS.get(kind.node.text.toLowerCase()) : undefined;
  if (foreign !== undefined) section.fault("guardrail", foreign);
  if (foreign !== undefined || section.choice("guardrail", GUARDRAIL_KINDS) === null) return null;
  const known = [...node.entries].filter(([key, entry]) => GUARDRAIL_PARAMS.has(key) && !isNull(entry.value));
  const value = Object.fromEntries(
    known.map(([key, entry]) => [key, plainValue(scope, entry.value, childPath(path, key))]),
  );
  const { params, faults } = readGuardrailParams(value);
  for (const { param, message, found } of faults) {
    const field = section.field(param);
    const told = field && found !== undefined ? foundIn(field.node, found) : "";
    section.fault(field ? param : "guardrail", message + told);
  }
  return params && withWhatItNeeds(section, params, node, names);
}

/** A module is beside the file, and has to be there. A model may be one that is stored. */
function withWhatItNeeds(
  section: Section,
  params: GuardrailParams,
  { at }: Mapping,
  names: CallableNames,
): GuardrailParams | null {
  const { guardrail, model, module } = params;
  if (guardrail === "moderation" && model && !names.has(model))
    section.warn("model", `no model is called \`${shown(model)}\`${names.suggestion(model)}`);
  if (!module) return params;
  const path = resolve(dirname(at.file), module);
  if (existsSync(path)) return { ...params, module: path };
  section.fault("module", "there is no such file");
  return null;
}
