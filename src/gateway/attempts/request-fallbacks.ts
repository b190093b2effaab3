import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { shortName } from "../../lib/short-name.ts";
import type { Fields } from "../call/gateway.ts";
import { noEffect } from "../pipeline/gateway-params.ts";
import { NO_FALLBACKS, type RequestFallbacks } from "./fallback-queue.ts";
import type { FallbackTable } from "./fallback-tables.ts";

/** `models` is OpenRouter's word for them. An upstream never sees it: it would ask models that nobody has checked or priced. */
export function requestFallbacks(request: Fields): RequestFallbacks {
  const { fallbacks, models, context_window_fallback_dict: long, disable_fallbacks: disabled } = request;
  if (request.router_settings_override != null) refuseOverride();
  const named = fallbacks ?? models ?? null;
  if (named === null && long == null && disabled == null) return NO_FALLBACKS;
  if (disabled != null && typeof disabled !== "boolean") throw noEffect("disable_fallbacks", "true or false");
  if (named !== null && !Array.isArray(named))
    throw noEffect(fallbacks == null ? "models" : "fallbacks", "a list of models");
  return {
    ...(named === null ? NO_FALLBACKS : read(named)),
    forLongPrompts: long == null ? null : readLong(long),
    disabled: disabled === true,
  };
}

function readLong(given: unknown): Readonly<Record<string, string>> {
  if (isRecord(given) && Object.values(given).every((name) => typeof name === "string")) {
    return given as Record<string, string>;
  }
  throw noEffect("context_window_fallback_dict", "an object with a model for each that it stands in for");
}

function refuseOverride(): never {
  throw new GatewayError(
    "invalid_request",
    "`router_settings_override` is not served: send `fallbacks`, `context_window_fallback_dict`, `num_retries` and `timeout` " +
      "as fields of the request itself.",
    { param: "router_settings_override" },
  );
}

/** Names, `{"model": name, ...fields}`, or all of them as the configuration has them: `{group: [names]}`. */
function read(items: readonly unknown[]): Pick<RequestFallbacks, "listed" | "table" | "fieldsOf"> {
  const listed: string[] = [];
  const table = new Map<string, readonly string[]>();
  const fieldsOf = new Map<string, Fields>();
  for (const item of items) {
    if (typeof item === "string") listed.push(item);
    else if (isRecord(item) && typeof item.model === "string") {
      const { model, ...fields } = item;
      checkFields(fields);
      listed.push(model);
      if (!fieldsOf.has(model)) fieldsOf.set(model, fields);
    } else if (isTable(item)) for (const [group, names] of Object.entries(item)) table.set(group, names);
    else
      throw faulty(
        "An item of `fallbacks` is neither a name, nor an object with a `model`, nor one with a group and its list.",
      );
  }
  if (table.size > 0 && listed.length > 0) throw faulty("Name either models, or groups with their lists.");
  return {
    listed: table.size > 0 ? null : listed,
    table: table.size > 0 ? Object.fromEntries(table) : null,
    fieldsOf: fieldsOf.size > 0 ? fieldsOf : null,
  };
}

const isTable = (item: unknown): item is FallbackTable =>
  isRecord(item) &&
  Object.keys(item).length > 0 &&
  Object.values(item).every((names) => Array.isArray(names) && names.every((name) => typeof name === "string"));

/**
 * What may be another for a model that stands in: how it answers. What is asked stays the request's: that is what guardrails
 * have looked at and what the answer's form goes by.
 */
const CHECKS: Readonly<Record<string, (value: unknown) => boolean>> = {
  temperature: Number.isFinite,
  top_p: Number.isFinite,
  frequency_penalty: Number.isFinite,
  presence_penalty: Number.isFinite,
  seed: Number.isInteger,
  max_tokens: (value) => Number.isInteger(value) && (value as number) >= 0,
  max_completion_tokens: (value) => Number.isInteger(value) && (value as number) >= 0,
  reasoning_effort: (value) => typeof value === "string",
  stop: (value) => typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string")),
};

function checkFields(fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    const fits = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
    if (!fits) throw faulty(`\`${shortName(name)}\` cannot be set for a model that stands in, only ${KNOWN}.`);
    if (name === "max_tokens" && fields.max_completion_tokens !== undefined)
      throw faulty("`max_tokens` and `max_completion_tokens` are two names for one limit: give one of them.");
    if (!fits(value)) throw faulty(`\`${name}\` of a model that stands in has a value that does not fit.`);
  }
}

const KNOWN = Object.keys(CHECKS)
  .map((name) => `\`${name}\``)
  .join(", ");

const faulty = (words: string): GatewayError => new GatewayError("invalid_request", words, { param: "fallbacks" });
