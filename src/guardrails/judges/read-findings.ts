import { isRecord } from "../../lib/json.ts";
import type { Finding } from "../guard.ts";

const CATEGORY_CHARS_MAX = 60;
const FINDINGS_MAX = 100_000;

/**
 * Findings that came from outside. A place that is none is taken for the whole text, and so is one in a text that there is
 * not: too much rather than too little.
 */
export function readFindings(given: unknown, texts: readonly string[]): Finding[] {
  if (!Array.isArray(given)) throw new Error("the findings are no list");
  if (given.length > FINDINGS_MAX) return [{ category: "too much", index: 0, start: null, end: null }];
  return given.map((one: unknown) => {
    if (!isRecord(one)) throw new Error("a finding is no object");
    const category = categoryOf(one.category);
    const { start, end } = one;
    const index = one.index ?? 0;
    const text = isWhole(index) ? texts[index] : undefined;
    if (!isWhole(index) || text === undefined) return { category, index: 0, start: null, end: null };
    const isPlace = isWhole(start) && isWhole(end) && start >= 0 && start < end && end <= text.length;
    return isPlace ? { category, index, start, end } : { category, index, start: null, end: null };
  });
}

const isWhole = (value: unknown): value is number => Number.isInteger(value);

/** The caller is told this: a word, and nothing of what was found. */
const categoryOf = (value: unknown): string => {
  const text = typeof value === "string" ? value.replace(/[^\w /.:-]+/g, "_").slice(0, CATEGORY_CHARS_MAX) : "";
  return text === "" ? "unspecified" : text;
};
