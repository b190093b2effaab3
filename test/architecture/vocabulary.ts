import { FOREIGN_NAMES, NAMES, PHRASES, type WordGroup } from "./words.ts";

/** A banned word or phrase, where it applies and what to write in its place. */
export interface Entry {
  readonly old: string;
  readonly use: string;
  readonly reason: string;
  /** Folders of src/ and test/ to which the entry is limited; null for all. */
  readonly folders: readonly string[] | null;
}

interface NameEntry extends Entry {
  readonly words: readonly string[];
}

export interface Phrase extends Entry {
  /** The accepted forms of each word; null for any word. */
  readonly words: readonly (ReadonlySet<string> | null)[];
  readonly opensText: boolean;
  readonly opensSentence: boolean;
  readonly endsSentence: boolean;
}

const EXACT = new Map<string, Entry[]>();
const BY_FIRST_WORD = new Map<string, NameEntry[]>();
const BY_NAME = new Map<string, readonly Entry[]>();

const WIRE_NAME = /^[a-z\d]+(?:_[a-z\d]+)+$/;

/** Phrases by each form of their first word, the longest first. */
export const PHRASES_BY_FIRST_WORD: ReadonlyMap<string, readonly Phrase[]> = indexPhrases();

for (const { old, ...entry } of NAMES.flatMap(parseRows)) {
  if (old.startsWith("=")) addTo(EXACT, old.slice(1), { old: old.slice(1), ...entry });
  else addTo(BY_FIRST_WORD, splitName(old)[0] ?? "", { old, words: splitName(old), ...entry });
}

/** The entry that bans a name in a file, or null. Outside Python, lower case with underscores marks a wire name. */
export function findNameEntry(name: string, path: string): Entry | null {
  if (WIRE_NAME.test(name) && !/\.py\b/.test(path)) return null;
  const entries = BY_NAME.get(name) ?? matchName(name);
  BY_NAME.set(name, entries);
  return entries.find((entry) => appliesTo(entry, path)) ?? null;
}

function matchName(name: string): readonly Entry[] {
  if (FOREIGN_NAMES.has(name)) return [];
  const words = splitName(name);
  const found = words.flatMap((word, at) =>
    (BY_FIRST_WORD.get(word) ?? []).filter((entry) => entry.words.every((part, index) => words[at + index] === part)),
  );
  return [...(EXACT.get(name) ?? []), ...found.sort((a, b) => b.words.length - a.words.length)];
}

/** `letInCaller`, `LET_IN_CALLER` and `let-in-caller` are the words let, in, caller. */
function splitName(name: string): string[] {
  return (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}

/** Whether the entry covers the file: `gateway` means src/gateway/ and test/gateway/. */
export function appliesTo({ folders }: Entry, path: string): boolean {
  if (folders === null) return true;
  const inside = path.replace(/^(?:src|test)\//, "");
  return folders.some((folder) => inside.startsWith(`${folder}/`));
}

/** `old, other old (gateway, cache) -> new; next row` */
function parseRows({ reason, rows }: WordGroup): Entry[] {
  return rows
    .split(/[;\n]/)
    .filter((row) => row.trim() !== "")
    .flatMap((row) => {
      const [left = "", use = ""] = row.split("->").map((part) => part.trim());
      const [, olds = "", folders] = /^(.*?)(?: \((.*)\))?$/.exec(left) ?? [];
      if (olds === "" || olds.includes("(") || use === "") {
        throw new Error(`words.ts: write "${row.trim()}" as "old, old (folder, folder) -> new"`);
      }
      return olds.split(", ").map((old) => ({ old, use, reason, folders: folders?.split(", ") ?? null }));
    });
}

function indexPhrases(): Map<string, Phrase[]> {
  const index = new Map<string, Phrase[]>();
  for (const entry of PHRASES.flatMap(parseRows)) {
    const [, marks = "", body = "", end = ""] = /^(\^*)([^$]*)(\$?)$/.exec(entry.old) ?? [];
    const words = body.split(" ").map((word) => (word === "_" ? null : new Set(word.split("/"))));
    const phrase = {
      ...entry,
      words,
      opensText: marks === "^^",
      opensSentence: marks !== "",
      endsSentence: end !== "",
    };
    for (const first of words[0] ?? []) addTo(index, first, phrase);
  }
  for (const phrases of index.values()) phrases.sort((a, b) => b.words.length - a.words.length);
  return index;
}

function addTo<T>(index: Map<string, T[]>, key: string, value: T): void {
  const list = index.get(key);
  if (list === undefined) index.set(key, [value]);
  else list.push(value);
}
