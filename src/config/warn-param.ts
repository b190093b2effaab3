import { CREDENTIAL_FIELDS, GATEWAY_FIELDS, INPUT_FIELDS, isOpenAiParam } from "../contract/params.ts";
import { didYouMean } from "../lib/spelling/suggest.ts";
import type { Place } from "./fault.ts";
import { LITELLM_PARAMS, OF_MODELS_ALONE } from "./keys/litellm-params.ts";
import { isPriceKey, notAPrice } from "./keys/prices.ts";
import type { Scope } from "./scope.ts";
import { shown } from "./secrets.ts";
import { warnUnserved } from "./section.ts";
import { childPath, type Entry, type Node } from "./tree.ts";

/** What a call is about, what steers it, and what a caller may not say: a model's default of these goes nowhere. */
const isCallersOwn = (key: string): boolean =>
  GATEWAY_FIELDS.has(key) || CREDENTIAL_FIELDS.has(key) || INPUT_FIELDS.has(key);

/** Neither has it an effect here, nor would a provider know it as a field of a call. */
export function isIdle(key: string): boolean {
  const status = LITELLM_PARAMS.get(key);
  return status === undefined ? isCallersOwn(key) : status === "known" || status === "protecting";
}

/** Says of a parameter of a model, or of a credential that models have it from, that it has no effect, or may have been meant otherwise. */
export function warnParam(
  scope: Scope,
  entry: Entry,
  path: string,
  section: "litellm_params" | "credential_values",
  key: string,
  isTyped = false,
): void {
  warnUnserved(scope, entry, path, section, key, LITELLM_PARAMS);
  if (section === "credential_values" && OF_MODELS_ALONE.has(key)) warnIdle(scope, entry.keyAt, path, key);
  if (LITELLM_PARAMS.has(key) || isPriceKey(key) || warnPrice(scope, entry.keyAt, path, key)) return;
  if (isCallersOwn(key)) warnIdle(scope, entry.keyAt, path, key);
  else warnUnknown(scope, entry.keyAt, path, key, isTyped);
}

/** Keys that nobody knows go to the provider, unless they look like a price; in a file, one that is nearly a known name is worth a word. */
function warnUnknown({ report }: Scope, at: Place, path: string, key: string, isTyped: boolean): void {
  const near = didYouMean(key, LITELLM_PARAMS.keys(), 2);
  if (near === "" && !isTyped) return;
  report.warn(at, path, `\`${shown(key)}\` is not known and goes to the provider as it is${near}`);
}

export function warnPrice({ report }: Scope, at: Place, path: string, key: string): boolean {
  const remark = notAPrice(key);
  if (remark !== null) report.warn(at, path, `\`${shown(key)}\` is not known; ${remark}`);
  return remark !== null;
}

const warnIdle = ({ report }: Scope, at: Place, path: string, key: string): void =>
  report.warn(at, path, `\`${shown(key)}\` has no effect here`);

const CHATS: ReadonlySet<unknown> = new Set([undefined, "chat", "responses", "completion"]);

/** Of `extra_body` only that goes along which has no place of its own, by which it is checked. */
export function warnExtraBody(scope: Scope, node: Node | undefined, path: string, mode: unknown): void {
  if (node?.kind !== "map") return;
  const isParam = (key: string): boolean => CHATS.has(mode) && isOpenAiParam("chat", key);
  for (const [key, { keyAt }] of node.entries) {
    if (!isParam(key) && !isCallersOwn(key)) continue;
    const advice = isParam(key) ? "; write it beside `model`, and into `allowed_openai_params` as well" : "";
    scope.report.warn(keyAt, childPath(path, key), `\`${shown(key)}\` has no effect in \`extra_body\`${advice}`);
  }
}
