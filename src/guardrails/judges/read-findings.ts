import { isRecord } from "../../lib/json.ts";
import type { Finding } from "../guard.ts";

const CATEGORY_CHARS_MAX = 60;
const FINDINGS_MAX = 100_000;

/** Findings that came from outside. A place that is none is taken for the whole text: too much rather than too little. */
export function readFindings(given: unknown, texts: readonly string[]): Finding[] {
  if (!Array.isArray(given)) throw new Error("the findings are no list");
  return given.slice(0, FINDINGS_MAX).map((one: unknown) => {
    if (!isRecord(one)) throw new Error("a finding is no object");
    const category = categoryOf(one.category);
    const index = typeof one.index === "number" && texts[one.index] !== undefined ? one.index : 0;
    const { start, end } = one;
    const length = texts[index]?.length ?? 0;
    const isPlace = isWhole(start) && isWhole(end) && start >= 0 && start < end && end <= length;
    return isPlace ? { category, index, start, end } : { category, index, start: null, end: null };
  });
}

const isWhole = (value: unknown): value is number => Number.isInteger(value);

/** The caller is told this: a word, and nothing of what was found. */
const categoryOf = (value: unknown): string => {
  const text = typeof value === "string" ? value.replace(/[^\w /.:-]+/g, "_").slice(0, CATEGORY_CHARS_MAX) : "";
  return text === "" ? "unspecified" : text;
};
