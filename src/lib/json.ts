const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Strict UTF-8 to text; throws a TypeError on a byte that is not. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);

/** Deeper than any real request; writing deep values back takes time that grows with the square of their depth. */
const DEPTH_MAX = 200;

/**
 * `JSON.parse` for text from outside: a `__proto__` key is left out, because a later copy by assignment
 * would change a prototype. Of a duplicate key the last one stays, and only that one is ever seen.
 */
export function parseJson(text: string): unknown {
  if (text.length > SCAN_CHARS_MIN && opensTooDeep(text)) throw new RangeError("nested too deeply");
  const value: unknown = JSON.parse(text);
  if (isDeeper(value, DEPTH_MAX)) throw new RangeError("nested too deeply");
  if (!mayNameProto(text)) return value;
  return JSON.parse(text, (key, part) => (key === "__proto__" ? undefined : part));
}

/** Searched natively: as an expression it took as long as the parse. */
const mayNameProto = (text: string): boolean =>
  text.includes("__proto__") || text.includes("\\u005f") || text.includes("\\u005F");

/** Text below this cannot be nested so deeply that parsing it takes noticeable time. */
const SCAN_CHARS_MIN = 64 * 1024;

/** Looks at brackets only, and jumps over strings: most of a large body is one. */
function opensTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      do at = text.indexOf('"', at + 1);
      while (at > 0 && isEscaped(text, at));
      if (at < 0) return false;
    } else if (code === 91 || code === 123) {
      if (++depth > DEPTH_MAX) return true;
    } else if (code === 93 || code === 125) depth--;
  }
  return false;
}

/** Whether the quote at this place is preceded by an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === 92) slashes++;
  return slashes % 2 === 1;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const key in value) if (isDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

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
