import { isRecord, parseJson } from "./json.ts";

/** `isNumber` where JSON had no text, but these digits. */
export type Change = (text: string, isNumber?: boolean) => string;
/** What becomes of a part of a value; `change` is handed on as it is, so that nothing has to be made for each part. */
export type MapPart = (part: unknown, change: Change, name: string) => unknown;

/** A number with fewer digits is nobody's. */
const NUMBER_MIN = 1e8;

/** Strings and numbers of a text that is known to be JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * JSON inside a text: what stands between its quotes is looked at, so that it stays JSON whatever is put there. All that is
 * written there, since whoever reads it may see another one of two fields with the same name than we do. Throws a RangeError
 * where it is nested so deeply that nobody says whether it is JSON.
 */
export function mapJsonText(text: string, change: Change): string {
  try {
    parseJson(text);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw thrown;
    return text === "" ? text : change(text);
  }
  return text.replace(TOKEN, (token) => {
    const said: unknown = JSON.parse(token);
    if (typeof said === "number" && /^-?\d+$/.test(token)) return changedNumber(token, change);
    const next = mapJsonValue(said, change);
    return next === said ? token : JSON.stringify(next);
  });
}

/** As it is written: a long one would be read as another one. */
function changedNumber(digits: string, change: Change): string {
  if (Math.abs(Number(digits)) < NUMBER_MIN) return digits;
  const next = change(digits, true);
  return next === digits ? digits : JSON.stringify(next);
}

/** Such a value itself, with the names of its fields. */
export function mapJsonValue(value: unknown, change: Change): unknown {
  if (typeof value === "string") return value === "" ? value : change(value);
  if (typeof value === "number") return mapNumber(value, change);
  if (Array.isArray(value)) return mapList(value, mapJsonValue, change);
  if (!isRecord(value)) return value;
  const next = mapFields(value, mapJsonValue, change);
  const names = Object.keys(next);
  const shown = mapList(names, mapJsonValue, change);
  if (shown === names) return next;
  return Object.fromEntries(names.map((name, index) => [shown[index], next[name]]));
}

/** A number that somebody may be known by is looked at as its digits. */
export function mapNumber(value: number, change: Change): unknown {
  if (!Number.isInteger(value) || Math.abs(value) < NUMBER_MIN) return value;
  const digits = String(value);
  const next = change(digits, true);
  return next === digits ? value : next;
}

/** The same list where nothing in it has changed. */
export function mapList(list: readonly unknown[], map: MapPart, change: Change): readonly unknown[] {
  let changed: unknown[] | null = null;
  for (let index = 0; index < list.length; index++) {
    const next = map(list[index], change, "");
    if (next === list[index]) continue;
    changed ??= [...list];
    changed[index] = next;
  }
  return changed ?? list;
}

/** The same record where nothing in it has changed. */
export function mapFields(
  record: Readonly<Record<string, unknown>>,
  map: MapPart,
  change: Change,
): Readonly<Record<string, unknown>> {
  let changed: Record<string, unknown> | null = null;
  for (const name in record) {
    const part = record[name];
    const next = map(part, change, name);
    if (next === part) continue;
    changed ??= { ...record };
    changed[name] = next;
  }
  return changed ?? record;
}
