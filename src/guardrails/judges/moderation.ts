import type { Judge, JudgeServices } from "../guard.ts";

/** What is flagged, and nobody says for what. */
export const UNNAMED_CATEGORY = "flagged";

/** A moderation model of the gateway's own. `categories`: those that count, beside what it names none for; null for whatever it flags. */
export const moderation = (
  model: string,
  categories: readonly string[] | null,
  windowChars: number,
  limitMs: number,
  moderate: JudgeServices["moderate"],
): Judge => ({
  windowChars,
  async judge(texts, { signal }) {
    const asked = texts.filter((text) => text.trim() !== "");
    if (asked.length === 0) return [];
    const flagged = await moderate(model, asked, limitMs, signal);
    return flagged.flatMap((found, index) =>
      found
        .filter((name) => categories === null || name === UNNAMED_CATEGORY || categories.includes(name))
        .map((category) => ({ category, index, start: null, end: null })),
    );
  },
});
