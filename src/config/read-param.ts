import { PARAM_BOOLEANS, PARAM_COUNTS, PARAM_NUMBERS, PARAM_TEXT_LISTS, PARAM_TEXTS } from "./keys/litellm-params.ts";
import { isPriceKey } from "./keys/prices.ts";
import { readBoolean, readNumber, readText, readTexts } from "./read-value.ts";
import { plainValue, resolveScalar, type Scope, unsetMessage } from "./scope.ts";
import { isSecretName } from "./secrets.ts";
import { isNull, type Node } from "./tree.ts";

/** The parameters of a deployment by name, in the order of the file. */
export type Params = ReadonlyMap<string, unknown>;

/** One value of `litellm_params` or of a credential; `null` where it is not set or was reported. */
export function readParam(scope: Scope, key: string, node: Node, path: string): unknown {
  if (isNull(node) || (node.kind === "scalar" && node.value === "")) return null;
  if (node.kind === "scalar" && isSecretName(key) && !hasCredential(scope, node, path)) return null;
  if (PARAM_COUNTS.has(key)) return readNumber(scope, node, path, { integer: true });
  if (PARAM_NUMBERS.has(key) || isPriceKey(key)) return readNumber(scope, node, path);
  if (PARAM_BOOLEANS.has(key)) return readBoolean(scope, node, path);
  if (PARAM_TEXTS.has(key)) return readText(scope, node, path);
  if (PARAM_TEXT_LISTS.has(key)) return readTexts(scope, node, path);
  return plainValue(scope, node, path);
}

/** People keep long lists of models and have the keys of some, so an unset key is no reason not to start. */
function hasCredential(scope: Scope, node: Node & { kind: "scalar" }, path: string): boolean {
  return (
    resolveScalar(scope, node, path, (at, variable) =>
      scope.report.warn(at, path, `${unsetMessage(variable)}; calls that need it will fail until it is set`),
    ) !== null
  );
}
