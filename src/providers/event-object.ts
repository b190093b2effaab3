import type { GatewayError } from "../contract/errors.ts";
import { isRecord, parseJson } from "../lib/json.ts";

/** What an event of a stream says, where all of them are objects. */
export function eventObject(
  data: string,
  malformed: (what: string, cause?: unknown) => GatewayError,
): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = parseJson(data);
  } catch (cause) {
    throw malformed("has an event that is not JSON", cause);
  }
  if (!isRecord(parsed)) throw malformed("has an event that is not an object");
  return parsed;
}
