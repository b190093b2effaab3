import { GatewayError } from "../../../contract/errors.ts";
import { isRecord } from "../../../lib/json.ts";
import { shortName } from "../../../lib/short-name.ts";
import type { Fields } from "../../call/gateway.ts";

/** Google takes the names of its fields in both spellings; here they have the one in which it answers. */
export function normalizeNames(given: unknown, place: string): Fields {
  if (given === undefined || given === null) return {};
  if (!isRecord(given)) throw refused(place, "an object is wanted here.");
  const fields: Record<string, unknown> = {};
  for (const name in given) {
    const value = given[name];
    if (value !== null && value !== undefined) fields[camelName(name)] = value;
  }
  return fields;
}

export const camelName = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A list, for which Google also takes its only item. */
export function listOf(given: unknown): readonly unknown[] {
  if (given === undefined || given === null) return [];
  return Array.isArray(given) ? given : [given];
}

/** A place may have names of the caller's in it. */
export function refused(place: string, reason: string): GatewayError {
  const param = shortName(place, 200);
  return new GatewayError("invalid_request", `${param}: ${reason}`, { param });
}

/** As Google says it. */
export const unknownName = (place: string, name: string): GatewayError =>
  refused(place, `there is no field \`${shortName(name)}\` here.`);
