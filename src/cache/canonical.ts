import { isRecord } from "../lib/json.ts";

/**
 * Fields that are taken as they were written: the order of a schema's properties decides the order of an answer's fields, so
 * two orders are two requests. Everywhere else the order of keys means nothing.
 */
const ORDERED: ReadonlySet<string> = new Set(["response_format", "tools", "functions", "guided_json"]);

/** One text for all ways to write the same request. A top-level field without a value is as good as none. */
export function canonicalFields(fields: Readonly<Record<string, unknown>>, leftOut: ReadonlySet<string>): string {
  const parts: string[] = [];
  for (const name of Object.keys(fields).sort()) {
    const value = fields[name];
    if (value === undefined || value === null || leftOut.has(name)) continue;
    parts.push(`${JSON.stringify(name)}:${ORDERED.has(name) ? JSON.stringify(value) : canonical(value)}`);
  }
  return `{${parts.join(",")}}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const parts: string[] = [];
  for (const name of Object.keys(value).sort()) {
    if (value[name] !== undefined) parts.push(`${JSON.stringify(name)}:${canonical(value[name])}`);
  }
  return `{${parts.join(",")}}`;
}
