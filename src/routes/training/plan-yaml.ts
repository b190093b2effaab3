import { isCollection, isPair, isScalar, parseDocument, stringify } from "yaml";
import { GatewayError } from "../../contract/errors.ts";

const YAML_CHARS_MAX = 256 * 1024;
/** Longer plans are shown as JSON, which is YAML too: to write half a megabyte of YAML holds up all calls for a moment. */
const PRETTY_CHARS_MAX = 16 * 1024;
/** More than a plan may have; one that has is refused for that. */
const LEVELS_LOOKED_AT = 100;

/** What a text of YAML says. */
export function readYaml(text: string): unknown {
  if (text.length > YAML_CHARS_MAX) throw wrong("it is longer than 256 KiB");
  try {
    // The package compares every name of a set with every other one: for twenty thousand of them that takes seconds.
    const document = parseDocument(text, { uniqueKeys: false });
    const [fault] = document.errors;
    if (fault !== undefined) throw fault;
    requireNamesOnce(document.contents, LEVELS_LOOKED_AT);
    return document.toJS();
  } catch (thrown) {
    const [reason = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
    throw wrong(`it is no YAML: ${reason.slice(0, 200)}`);
  }
}

/** By our own steps: those of the package cost more with every level. */
function requireNamesOnce(node: unknown, levels: number): void {
  if (levels === 0 || !isCollection(node)) return;
  const names = new Set<unknown>();
  for (const item of node.items) {
    if (!isPair(item)) {
      requireNamesOnce(item, levels - 1);
      continue;
    }
    const { key, value } = item;
    if (isScalar(key)) {
      if (names.has(key.value)) throw new Error(`${String(key.value).slice(0, 64)} stands twice in one set`);
      names.add(key.value);
    }
    requireNamesOnce(value, levels - 1);
  }
}

export function planText(plan: object): string {
  const text = JSON.stringify(plan);
  return text.length > PRETTY_CHARS_MAX ? `${JSON.stringify(plan, null, 2)}\n` : stringify(plan);
}

const wrong = (why: string): GatewayError => new GatewayError("invalid_request", `plan: ${why}.`, { param: "plan" });
