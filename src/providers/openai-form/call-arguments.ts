import { isRecord, parseJson } from "../../lib/json.ts";

/**
 * The arguments of a call that was made, for providers that want an object. Those that are none are kept under a name: a
 * model wrote them, the caller only brings them back, and the conversation about them has to go on.
 */
export function argumentsObject(given: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(given)) return given;
  if (typeof given !== "string" || given.trim() === "") return {};
  try {
    const parsed = parseJson(given);
    return isRecord(parsed) ? parsed : { value: parsed };
  } catch {
    return { value: given };
  }
}
