import { GatewayError } from "../../contract/errors.ts";
import type { AskedGuardrails } from "../../guardrails/guardrail-set.ts";
import { isRecord, parseJson } from "../../lib/json.ts";
import type { Fields } from "../call/gateway.ts";

const NAMES_MAX = 50;
const NOTHING: Fields = {};

/** The guardrails that a request names, in its body or its metadata; null where it names none. */
export function askedGuardrails({ guardrails, metadata, litellm_metadata: internal }: Fields): AskedGuardrails | null {
  const nested = isRecord(metadata) ? metadata.guardrails : undefined;
  const inner = isRecord(internal) ? internal.guardrails : undefined;
  if (guardrails == null && nested == null && inner == null) return null;
  const asked = new Map<string, Fields>();
  for (const list of [fromForm(guardrails), nested, inner]) {
    if (list == null) continue;
    if (!Array.isArray(list) || list.length > NAMES_MAX) throw malformed();
    for (const one of list) take(asked, one);
  }
  return asked;
}

/** Forms have text alone: names apart by commas, or the list as JSON. */
function fromForm(given: unknown): unknown {
  if (typeof given !== "string") return given;
  if (!given.startsWith("[")) return given.split(",").map((name) => name.trim());
  try {
    return parseJson(given);
  } catch {
    throw malformed();
  }
}

/** A name, or names with what the request has to say to each: `{name: {extra_body: {...}}}`. */
function take(asked: Map<string, Fields>, one: unknown): void {
  if (typeof one === "string") {
    if (!asked.has(one)) asked.set(one, NOTHING);
    return;
  }
  if (!isRecord(one)) throw malformed();
  const named = Object.entries(one);
  if (named.length === 0) throw malformed();
  for (const [name, said] of named) asked.set(name, saidTo(said));
}

function saidTo(said: unknown): Fields {
  if (said == null) return NOTHING;
  if (!isRecord(said)) throw malformed();
  const { extra_body: extra, ...others } = said;
  if ((extra != null && !isRecord(extra)) || Object.keys(others).length > 0) throw malformed();
  return extra == null ? NOTHING : (extra as Fields);
}

const malformed = (): GatewayError =>
  new GatewayError(
    "invalid_request",
    `guardrails: expected a list of at most ${NAMES_MAX} names, each alone or as {name: {extra_body: {...}}}.`,
    { param: "guardrails" },
  );
