import { dirname } from "node:path";
import type { ProseText } from "./facts.ts";
import { findLongSentences, findPhrases, splitWords, type WordList } from "./prose.ts";
import { areaOf } from "./repository.ts";
import { type Place, placeAt, type Rule, type Sources } from "./rule.ts";
import { type Entry, findNameEntry } from "./vocabulary.ts";

const COLUMNS_MAX = 120;
const SENTENCE_WORDS_MAX = 25;
const PARAGRAPH_LINES_MAX = 5;

const LONG_LINE = new RegExp(`^.{${COLUMNS_MAX + 1},}$`, "gm");
/** Lines that cannot be divided: table rows, HTML, single words such as links, and directives for tools. */
const INDIVISIBLE = /^\s*(?:\||<)|^\W*\S+$|biome-ignore|@ts-expect-error/;
const PARAGRAPH = /(?:^(?! *$| *[|#>]| *(?:[-*+]|\d+\.) ).*(?:\n|$))+/gm;

export const longProseLines: Rule = {
  name: "long lines",
  find: ({ facts, texts }) =>
    [...texts].flatMap(([path, text]) => {
      const prose = facts.get(path)?.prose.filter(({ kind }) => kind !== "message") ?? [];
      return [...text.matchAll(LONG_LINE)].flatMap(({ 0: line, index }) => {
        const isProse = prose.some((part) => reachesColumn(part, index + COLUMNS_MAX));
        if (!isProse || INDIVISIBLE.test(line)) return [];
        return [placeAt({ path, text }, { start: index }, `${line.length} characters: wrap the line`)];
      });
    }),
};

/** Whether a comment or a paragraph covers the offset; code blocks of a page are blank. */
function reachesColumn({ start, text }: ProseText, offset: number): boolean {
  return (
    start <= offset && offset < start + text.length && /\S/.test(text.slice(offset - start).split("\n", 1)[0] ?? "")
  );
}

export const longSentences: Rule = {
  name: "long sentences",
  find: (sources) =>
    findInProse(sources, (prose) => {
      if (prose.kind === "message") return [];
      const sentences = findLongSentences(prose, wordsOf(prose), SENTENCE_WORDS_MAX);
      return sentences.map(({ start, words }) => ({ start, message: `a sentence of ${words} words: divide it` }));
    }),
};

export const longParagraphs: Rule = {
  name: "long paragraphs",
  find: (sources) =>
    findInProse(sources, ({ kind, start, text }) => {
      if (kind !== "page") return [];
      return [...text.matchAll(PARAGRAPH)].flatMap(({ 0: paragraph, index }) => {
        const lines = paragraph.trimEnd().split("\n").length;
        const message = `a paragraph of ${lines} lines: divide it, or make it a list`;
        return lines > PARAGRAPH_LINES_MAX ? [{ start: start + index, message }] : [];
      });
    }),
};

export const wordsInProse: Rule = {
  name: "banned words",
  find: (sources) =>
    findInProse(sources, (prose, path) =>
      findPhrases(prose, wordsOf(prose), path).map(({ entry, start, found }) => ({
        start,
        message: describeEntry(found, entry),
      })),
    ),
};

const WORDS = new WeakMap<ProseText, WordList>();

/** Two rules need the words of a text. */
function wordsOf(prose: ProseText): WordList {
  const words = WORDS.get(prose) ?? splitWords(prose.text);
  WORDS.set(prose, words);
  return words;
}

type FindInText = (prose: ProseText, path: string) => { start: number; message: string }[];

function findInProse({ facts, texts }: Sources, find: FindInText): Place[] {
  const places: Place[] = [];
  for (const [path, { prose }] of facts) {
    const text = texts.get(path) ?? "";
    for (const part of prose) {
      for (const { start, message } of find(part, path)) places.push(placeAt({ path, text }, { start }, message));
    }
  }
  return places;
}

/** Only declarations count: a name that is in use may be used until it is renamed, and nothing new gets an old name. */
export const wordsInNames: Rule = {
  name: "banned names",
  find: (sources) => [...findDeclaredNames(sources), ...findFileNames(sources.paths)],
};

function findDeclaredNames({ facts, texts }: Sources): Place[] {
  const places: Place[] = [];
  for (const [path, { names }] of facts) {
    for (const { name, start } of names) {
      const entry = findNameEntry(name, path);
      if (entry === null) continue;
      places.push(placeAt({ path, text: texts.get(path) ?? "" }, { start }, describeEntry(name, entry)));
    }
  }
  return places;
}

/** The name of a file counts once, and so does the name of a folder. */
function findFileNames(paths: readonly string[]): Place[] {
  const named = new Set(paths.flatMap((path) => [path, ...foldersAbove(path)]));
  return [...named].flatMap((path) => {
    const name = path.split("/").at(-1)?.split(".")[0] ?? "";
    const entry = findNameEntry(name, `${path}/`);
    if (entry === null) return [];
    const message = describeEntry(`the file name ${name}`, entry);
    return [{ folder: areaOf(path), path, line: 1, lastLine: 1, message, count: 1 }];
  });
}

function foldersAbove(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}

function describeEntry(found: string, { use, reason }: Entry): string {
  return `"${found.trim()}": write ${use} (${reason})`;
}
