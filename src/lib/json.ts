import { outlineOf } from "./json-outline.ts";
import { LongStrings } from "./long-strings.ts";
import { keepSource } from "./source-text.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Strict UTF-8 to text; throws a TypeError on a byte that is not. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Deeper than any real request; writing deep values back takes time that grows with the square of their depth. */
const DEPTH_MAX = 200;

/**
 * `JSON.parse` for text from outside: a `__proto__` key is left out, because a later copy by assignment
 * would change a prototype. Of a duplicate key the last one stays, and only that one is ever seen. Long strings of a text
 * that is known to be ASCII are not copied; in any other one, looking for what keeps them from it takes longer than a copy.
 */
export function parseJson(text: string, isAscii = false): unknown {
  const outline = text.length > OUTLINE_CHARS_MIN ? outlineOf(text, DEPTH_MAX) : null;
  const long = isAscii && outline && outline.longStrings.length > 0 ? new LongStrings() : null;
  const parsed: unknown = long && outline ? long.parse(text, outline.longStrings) : JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null) return restored(parsed, long);
  const value: object = parsed;
  const keys = countKeys(value, DEPTH_MAX, long);
  if (outline?.isPlain && outline.pairs === keys && isRecord(value)) keepSource(value, text, outline.fields);
  return value;
}

/**
 * The same with every number as the text that it was written as: `2.80000000000000000001e-9` is no binary fraction, and a
 * price must not become one on the way.
 */
export function parseJsonTexts(text: string): unknown {
  // What is nested too deeply or is no JSON is refused here, before anything is called for each value.
  parseJson(text);
  return JSON.parse(text, asWritten as Parameters<typeof JSON.parse>[1]);
}

function asWritten(key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (key === "__proto__") return undefined;
  return typeof value === "number" ? source : value;
}

/**
 * Text below this cannot be nested so deeply that parsing it takes noticeable time, and is written anew in little. Read and
 * written once more, 40 kB with line ends took 111 µs, and take 50; a list of tools, of small texts alone, a tenth more.
 */
const OUTLINE_CHARS_MIN = 4 * 1024;

/**
 * How many keys all objects of a value have together. `__proto__` is taken out on the way, and does not count: searching the
 * text for it took as long as the parse. Strings that were cut out come back on the way, too.
 */
function countKeys(value: object, levels: number, long: LongStrings | null): number {
  if (levels === 0) throw new RangeError("nested too deeply");
  let count = 0;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at];
      if (typeof item === "object" && item !== null) count += countKeys(item, levels - 1, long);
      else if (long) value[at] = restored(item, long);
    }
    return count;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const item = record[key];
    if (typeof item === "object" && item !== null) count += countKeys(item, levels - 1, long);
    else if (long) record[key] = restored(item, long);
    if (key === "__proto__") delete record[key];
    else count++;
  }
  return count;
}

/** Whether a value that was read from a text is nested too deeply, as above; what a short text holds harms nobody. */
export const isTooDeep = (value: unknown, text: string): boolean =>
  text.length > OUTLINE_CHARS_MIN && isDeeper(value, DEPTH_MAX);

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (isDeeper(value[at], levels - 1)) return true;
    return false;
  }
  const record = value as Record<string, unknown>;
  for (const key in record) if (isDeeper(record[key], levels - 1)) return true;
  return false;
}

const restored = (value: unknown, long: LongStrings | null): unknown =>
  long && typeof value === "string" ? long.restore(value) : value;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The object that a text is the JSON of; null for any other text, and for one that is nested too deeply. */
export function recordIn(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) && !isTooDeep(parsed, text) ? parsed : null;
  } catch {
    return null;
  }
}

/**
 * A value from outside as text, null where it is neither text nor a number. `String(value)` is no way to do that: an
 * object's own `toString` may be anything, and then it throws.
 */
export function textOf(value: unknown): string | null {
  if (typeof value === "number") return `${value}`;
  return typeof value === "string" ? value : null;
}

/** A field under a name from outside: `constructor` and the like are found only where somebody wrote them. */
export const ownField = (fields: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;
