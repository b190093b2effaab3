import { isRecord, parseJson } from "./json.ts";

/** `isNumber` where JSON had no text, but these digits. */
export type Change = (text: string, isNumber?: boolean) => string;
/** What becomes of a part of a value; `change` is handed on as it is, so that nothing has to be made for each part. */
export type MapPart = (part: unknown, change: Change, name: string) => unknown;

/** A number with fewer digits is nobody's. */
const NUMBER_MIN = 1e8;

/** JSON inside a text: what stands between its quotes is looked at, so that it stays JSON whatever is put there. */
export function mapJsonText(text: string, change: Change): string {
  let parsed: unknown;
  try {
    parsed = parseJson(text);
  } catch {
    return text === "" ? text : change(text);
  }
  const next = mapLeaves(parsed, change);
  return next === parsed ? text : JSON.stringify(next);
}

function mapLeaves(value: unknown, change: Change): unknown {
  if (typeof value === "string") return value === "" ? value : change(value);
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) >= NUMBER_MIN) {
    const digits = String(value);
    const next = change(digits, true);
    return next === digits ? value : next;
  }
  if (Array.isArray(value)) return mapList(value, mapLeaves, change);
  if (!isRecord(value)) return value;
  const next = mapFields(value, mapLeaves, change);
  const names = Object.keys(next);
  const shown = mapList(names, mapLeaves, change);
  if (shown === names) return next;
  return Object.fromEntries(names.map((name, index) => [shown[index], next[name]]));
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
