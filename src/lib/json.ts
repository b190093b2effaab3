const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const PROTO = /__proto__|\\u005f/i;

/** Strict UTF-8 to text; throws a TypeError on a byte that is not. */
export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes);

/**
 * `JSON.parse` for text from outside: a `__proto__` key is left out, because a later copy by assignment
 * would change a prototype. Of a duplicate key the last one stays, and only that one is ever seen.
 */
export function parseJson(text: string): unknown {
  if (!PROTO.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value) => (key === "__proto__" ? undefined : value));
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
