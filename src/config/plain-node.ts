import type { Entry, Node } from "./tree.ts";

/**
 * A plain value as the tree that the readers know. Values are counted through, as lines of a file are: that tells apart two
 * that are wrong in the same way.
 */
export function plainNode(value: unknown): Node {
  let line = 0;
  const place = () => ({ file: "request", line: ++line, column: null });
  const convert = (inner: unknown): Node => {
    const at = place();
    if (Array.isArray(inner)) return { kind: "list", items: inner.map(convert), at };
    if (typeof inner === "object" && inner !== null) {
      const entries = Object.entries(inner).filter(([, field]) => field !== undefined);
      const convertEntry = ([key, field]: [string, unknown]): [string, Entry] => [
        key,
        { keyAt: place(), value: convert(field) },
      ];
      return { kind: "map", entries: new Map(entries.map(convertEntry)), at };
    }
    const isPlain = typeof inner === "string" || typeof inner === "number" || typeof inner === "boolean";
    return { kind: "scalar", value: isPlain ? inner : null, text: isPlain ? String(inner) : "", at };
  };
  return convert(value);
}
