import type { Judge } from "../guard.ts";

/** All texts of a request together. A token has at least one byte, so that most requests need not be counted. */
export const promptLength = (
  charactersMax: number | null,
  tokensMax: number | null,
  countTokens: (text: string) => Promise<number>,
): Judge => ({
  windowChars: null,
  judge(texts) {
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    if (charactersMax !== null && characters > charactersMax) return [tooLong("characters")];
    if (tokensMax === null) return [];
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes <= tokensMax) return [];
    return Promise.all(texts.map(countTokens)).then((counts) =>
      counts.reduce((sum, count) => sum + count, 0) > tokensMax ? [tooLong("tokens")] : [],
    );
  },
});

const tooLong = (unit: string) => ({ category: `too many ${unit}`, index: 0, start: null, end: null });
