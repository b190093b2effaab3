import { hashText } from "../seeded.ts";

/**
 * A text as a unit vector: its words, their beginnings and trigrams, and its word pairs are hashed to a place and a
 * sign each and added up. Texts that share words come near each other, texts that share word stems somewhat, and others lie
 * at nearly right angles. No learning, so no synonyms.
 */
export function embed(text: string, dimensions: number): Float32Array<ArrayBuffer> {
  const sums = new Float64Array(dimensions);
  for (const [feature, weight] of weighFeatures(text)) addFeature(sums, feature, weight);
  if (sums.every((value) => value === 0)) addFeature(sums, `text:${text}`, 1);
  const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(sums, (value) => value / length);
}

function addFeature(sums: Float64Array, feature: string, weight: number): void {
  const hash = hashText(feature);
  const place = (hash >>> 1) % sums.length;
  sums[place] = (sums[place] ?? 0) + (hash & 1 ? weight : -weight);
}

const WORD_WEIGHT = 1;
const STEM_WEIGHT = 0.8;
const STEM_LENGTH = 5;
const PAIR_WEIGHT = 0.3;
const TRIGRAM_WEIGHT = 0.3;

/** Words that nearly every English text has say next to nothing about what it is about. */
const COMMON_WEIGHT = 0.1;
const COMMON_WORDS = new Set(
  (
    "a an the and or but if of in on at to for from by with as is are was were be been am do does did has have had " +
    "it its this that these those i you he she we they me my your our their his her not no so than then there here " +
    "what which who how when where why can could will would should may might must about into over all any some"
  ).split(" "),
);

function weighFeatures(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const weights = new Map<string, number>();
  const note = (feature: string, weight: number) => {
    counts.set(feature, (counts.get(feature) ?? 0) + 1);
    weights.set(feature, weight);
  };
  let previous = "";
  for (const word of splitWords(text)) {
    const isCommon = COMMON_WORDS.has(word);
    note(`word:${word}`, isCommon ? COMMON_WEIGHT : WORD_WEIGHT);
    if (isCommon) continue;
    note(`stem:${word.slice(0, STEM_LENGTH)}`, STEM_WEIGHT);
    if (previous !== "") note(`pair:${previous} ${word}`, PAIR_WEIGHT);
    previous = word;
    for (const trigram of trigrams(word)) note(`trigram:${trigram}`, TRIGRAM_WEIGHT);
  }
  for (const [feature, count] of counts) weights.set(feature, (weights.get(feature) ?? 0) * Math.sqrt(count));
  return weights;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/** Scripts that put no spaces between words are read as overlapping pairs of characters. */
function* splitWords(text: string): Generator<string> {
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(WORD)) {
    const characters = UNSPACED.test(run) ? Array.from(run) : [];
    if (characters.length <= 2) {
      yield run;
      continue;
    }
    for (let at = 0; at + 1 < characters.length; at++) yield characters.slice(at, at + 2).join("");
  }
}

function* trigrams(word: string): Generator<string> {
  const padded = `^${word}$`;
  for (let at = 0; at + 3 <= padded.length; at++) yield padded.slice(at, at + 3);
}
