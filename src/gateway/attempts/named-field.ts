import { isRecord } from "../../lib/json.ts";
import type { ResolvedTarget } from "./resolve-target.ts";

/** `temperature`, `messages[0].content`, `tools.0.function.name`: the field, and where in it. */
const FIELD = /^([A-Za-z_]\w*)(?:[.[][\w.[\]-]*)?$/;
const CHARS_MAX = 200;

/**
 * The field that an upstream's refusal names, where it is one that the caller sent under that name. What the deployment sets
 * by itself, or an upstream calls something else, says nothing to who reads the error.
 */
export function namedField(body: string, { fields, deployment }: ResolvedTarget): string | null {
  const named = paramOf(body);
  const field = named === null || named.length > CHARS_MAX ? undefined : FIELD.exec(named)?.[1];
  if (field === undefined || !Object.hasOwn(fields, field)) return null;
  return fields[field] === deployment.params[field] ? null : named;
}

function paramOf(body: string): string | null {
  try {
    const parsed: unknown = JSON.parse(body);
    const one: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    const error = isRecord(one) && isRecord(one.error) ? one.error : one;
    return isRecord(error) && typeof error.param === "string" ? error.param : null;
  } catch {
    return null;
  }
}
