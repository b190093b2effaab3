import type { Passage } from "../records.ts";

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const WORDS_MAX = 32;
/** Words that nearly every text has. */
const COMMON = new Set(
  (
    "a an the and or but if of in on at to for from by with as is are was were be been am do does did has have had it its " +
    "this that these those i you he she we they me my your our their his her not no so than then there here what which " +
    "who how when where why can could will would should may might must about into over all any some"
  ).split(" "),
);

const STEM_MIN = 3;
const ENDINGS = ["ingly", "edly", "ing", "ied", "ies", "ed", "es", "ly", "s"];

/** Near enough to bring the forms of a word together, in English; elsewhere it leaves most words as they are. */
function stem(word: string): string {
  const ending = ENDINGS.find((end) => word.endsWith(end) && word.length - end.length >= STEM_MIN);
  const base = ending ? word.slice(0, -ending.length) : word;
  return base.length > 3 && base.endsWith("e") ? base.slice(0, -1) : base;
}

const wordsIn = (text: string): string[] =>
  Array.from(text.normalize("NFKC").toLowerCase().matchAll(WORD), ([word]) => word);

/** The words of a question that say what it is about. */
export function queryWords(query: string): string[] {
  const words = [...new Set(wordsIn(query))];
  const telling = words.filter((word) => !COMMON.has(word));
  return (telling.length > 0 ? telling : words).slice(0, WORDS_MAX);
}

interface Titled extends Pick<Passage, "id" | "text"> {
  readonly title: string;
}

const K1 = 1.2;
const B = 0.75;

/**
 * How well passages fit the words of a question: BM25, as a share of what a passage could reach that has all of the words
 * often. `total` is how many passages there are at all; those that have none of the words are not among these.
 */
export function wordScores(query: string, passages: readonly Titled[], total: number): ReadonlyMap<number, number> {
  const terms = [...new Set(queryWords(query).map(stem))];
  // A stem begins as its word does, so that most words need not be looked at.
  const beginnings = new Set(terms.map((term) => term.slice(0, STEM_MIN)));
  const counted = passages.map((passage) => {
    const counts = new Map<string, number>();
    const words = wordsIn(passage.text);
    for (const word of [...words, ...wordsIn(passage.title)]) {
      if (!beginnings.has(word.slice(0, STEM_MIN))) continue;
      const term = stem(word);
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    return { id: passage.id, counts, length: words.length };
  });
  const meanLength = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const weights = terms.map((term) => {
    const having = counted.filter(({ counts }) => counts.has(term)).length;
    return Math.log(1 + (Math.max(total, having) - having + 0.5) / (having + 0.5));
  });
  const most = weights.reduce((sum, weight) => sum + weight * (K1 + 1), 0);
  return new Map(
    counted.map(({ id, counts, length }) => {
      const score = terms.reduce((sum, term, at) => {
        const count = counts.get(term) ?? 0;
        const damped = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / Math.max(1, meanLength)));
        return sum + (weights[at] ?? 0) * damped;
      }, 0);
      return [id, most === 0 ? 0 : score / most];
    }),
  );
}

/** Words and meaning count alike. */
export const joinScores = (words: number, meaning: number): number =>
  Math.min(1, 0.5 * words + 0.5 * Math.max(0, meaning));
