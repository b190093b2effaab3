import type { ProseText } from "./facts.ts";
import { appliesTo, type Entry, PHRASES_BY_FIRST_WORD, type Phrase } from "./vocabulary.ts";

export interface PhraseMatch {
  readonly entry: Entry;
  readonly start: number;
  readonly found: string;
}

export interface Sentence {
  readonly start: number;
  readonly words: number;
}

/** The words of a text in lower case, each with what separates it from the one before. */
export interface WordList {
  readonly words: string[];
  readonly starts: number[];
  readonly ends: number[];
  /** Only white space and comment marks separate the word from the one before. */
  readonly joined: boolean[];
  readonly opensSentence: boolean[];
}

const WORD = /`[^`\n]*`|https?:\/\/[^\s)>\]]+|[A-Za-z_$][\w$]*(?:[-'’][A-Za-z]+)*|\d+/g;
/** Code spans, identifiers and numbers match no phrase. */
const CODE = /[`_$\d:]|[a-z][A-Z]/;
const WHITE_SPACE = /^[\s/*#>]*$/;
const BLOCK_BREAK = /\n[ \t/*#>]*\n|\n[ \t/*#>]*[-+|] |\|/;
const SENTENCE_END = /[.!?]\S*\s/;

export function splitWords(text: string): WordList {
  const list: WordList = { words: [], starts: [], ends: [], joined: [], opensSentence: [] };
  const plain = text.includes("\\") ? text.replace(/\\[nrt]/g, "\n\n") : text;
  let end = 0;
  for (const { 0: word, index } of plain.matchAll(WORD)) {
    const gap = plain.slice(end, index);
    const joined = gap === " " || WHITE_SPACE.test(gap);
    const breaks = list.words.length === 0 || (gap !== " " && BLOCK_BREAK.test(gap));
    list.words.push(CODE.test(word) ? "`" : word.toLowerCase());
    list.starts.push(index);
    list.joined.push(joined && !breaks);
    list.opensSentence.push(breaks || (!joined && SENTENCE_END.test(gap) && !/^[a-z]/.test(word)));
    end = index + word.length;
    list.ends.push(end);
  }
  return list;
}

/** Finds every banned phrase of a text. A word belongs to one phrase at most, the longest. */
export function findPhrases(prose: ProseText, list: WordList, path: string): PhraseMatch[] {
  const matches: PhraseMatch[] = [];
  for (let at = 0; at < list.words.length; at++) {
    const candidates = PHRASES_BY_FIRST_WORD.get(list.words[at] ?? "");
    const phrase = candidates?.find((candidate) => fits(candidate, list, at) && mayApply(candidate, prose, path));
    if (phrase === undefined) continue;
    const start = list.starts[at] ?? 0;
    at += phrase.words.length - 1;
    const found = prose.text.slice(start, list.ends[at]).replace(/[\s/*#>]+/g, " ");
    matches.push({ entry: phrase, start: prose.start + start, found });
  }
  return matches;
}

function mayApply(phrase: Phrase, prose: ProseText, path: string): boolean {
  return (!phrase.opensText || prose.kind === "comment") && appliesTo(phrase, path);
}

function fits(phrase: Phrase, { words, joined, opensSentence }: WordList, at: number): boolean {
  if (phrase.opensText ? at !== 0 : phrase.opensSentence && opensSentence[at] !== true) return false;
  for (const [index, forms] of phrase.words.entries()) {
    const word = words[at + index];
    if (word === undefined || (forms !== null && !forms.has(word))) return false;
    if (index > 0 && joined[at + index] !== true) return false;
  }
  return !phrase.endsSentence || joined[at + phrase.words.length] !== true;
}

/** The sentences of a text with more words than the limit. */
export function findLongSentences(prose: ProseText, list: WordList, wordsMax: number): Sentence[] {
  const sentences: Sentence[] = [];
  let first = 0;
  for (let at = 1; at <= list.words.length; at++) {
    if (at < list.words.length && list.opensSentence[at] !== true) continue;
    if (at - first > wordsMax) sentences.push({ start: prose.start + (list.starts[first] ?? 0), words: at - first });
    first = at;
  }
  return sentences;
}
