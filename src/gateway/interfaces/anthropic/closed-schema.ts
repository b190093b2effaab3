import { isRecord } from "../../../lib/json.ts";

/** Whether OpenAI would take a schema as a strict one: unlike Anthropic's, its objects have no field that may be missing. */
export function isClosed(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isClosed);
  if (!isRecord(schema)) return true;
  const { properties, required } = schema;
  if (isRecord(properties)) {
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    if (schema.additionalProperties !== false || Object.keys(properties).some((name) => !needed.includes(name))) {
      return false;
    }
  }
  return Object.values(schema).every(isClosed);
}
