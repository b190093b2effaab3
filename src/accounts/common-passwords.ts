import { COMMON_WORDS } from "./common-words.ts";

/** Rows and columns of keyboards, and what else people type one after another; both ways. */
const BOTH_WAYS = [
  "012345678901234567890",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "qwertzuiop",
  "yxcvbnm",
  "azertyuiop",
  "qsdfghjklm",
  "wxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
  "1qazxsw23edcvfr45tgb",
  "qazwsxedcrfvtgbyhnujmikolp",
  "1q2w3e4r5t6y7u8i9o0p",
  "q1w2e3r4t5y6u7i8o9p0",
  "zaq12wsxcde34rfvbgt56yhn",
  "12qwaszxerdfcv",
  "123qweasdzxc",
  "a1b2c3d4e5f6g7h8",
  "1a2b3c4d5e6f7g8h",
  "147258369",
  "159753",
  "789456123",
  "!@#$%^&*()",
  "!qaz@wsx#edc$rfv",
];
const RUNS = ["123456789101112131415", ...BOTH_WAYS, ...BOTH_WAYS.map(reverse)];
const RUN_CHARS_MIN = 3;
/** More pieces than this are a choice of somebody's own. */
const RUNS_MAX = 4;
/** 1111, 112233 and 102030. */
const PATTERN = /^(?:(.)\1+|(?:(\d)\2)+\d?|(?:\d0)+\d?)$/;
/** Letters and signs that are put around a run of keys to please a rule. */
const DECORATED = /^[a-z]{0,3}@?(.{5,}?)[a-z]{0,2}[0-9]?[@!.]?$/;

/** A word with what people are told to add: a number, a year, a sign. */
const AFFIXED =
  /^(?:1234|123|12|\d)?[@_.!-]?(.*?)[@_.!#$*-]?(?:\d{1,3}|0?1234\d*|(?:19|20)\d\d|(\d)\2+)?[!@#$%*.?_-]{0,2}$/;
const MY = /^(?:ilove|miss|the|iam|mr|my|im|i)(?=[a-z]{4})/;
const LETTERS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
};
/** Old systems kept no more of a password, so that its beginning is known as well. */
const KEPT_CHARS = 8;

let words: ReadonlySet<string> | null = null;

/**
 * Whether guessers would come to it early. Not a list of what has leaked, but what such lists are made of: words, runs of
 * keys, dates and repetitions, as people vary them. A few thousand words stand for millions of passwords that way.
 */
export function isCommonPassword(password: string): boolean {
  const lower = password.toLowerCase();
  const core = DECORATED.exec(lower)?.[1] ?? "";
  return isRepetition(lower) || isRuns(lower) || isRuns(core) || isDate(lower) || [lower, reverse(lower)].some(isWord);
}

const isRepetition = (text: string): boolean => /^(.{1,4}?)\1+.?$/s.test(text);

/** All of it, from one longest run to the next. */
function isRuns(text: string): boolean {
  let rest = text;
  for (let count = 0; count < RUNS_MAX && rest !== ""; count++) {
    let length = RUN_CHARS_MIN - 1;
    while (length < rest.length && isRun(rest.slice(0, length + 1))) length++;
    if (length < RUN_CHARS_MIN) return false;
    rest = rest.slice(length);
  }
  return text !== "" && rest === "";
}

const isRun = (text: string): boolean => PATTERN.test(text) || RUNS.some((run) => run.includes(text));

/** A day of the last hundred years in eight digits, whichever part comes first. */
function isDate(text: string): boolean {
  const digits = text.replaceAll(/[./-]/g, "");
  const [, before, after] = /^(?:(\d{4})(?:19|20)\d\d|(?:19|20)\d\d(\d{4}))$/.exec(digits) ?? [];
  const parts = [Number((before ?? after)?.slice(0, 2)), Number((before ?? after)?.slice(2))];
  const [low, high] = [Math.min(...parts), Math.max(...parts)];
  return low >= 1 && low <= 12 && high <= 31;
}

function isWord(text: string): boolean {
  const known = knownWords();
  return [text, plainLetters(text)].some((form) => {
    const core = AFFIXED.exec(form)?.[1] ?? "";
    return [form, core, plainLetters(core)].some((word) => {
      const single = word.replace(/^(.{4,})\1$/, "$1");
      return known.has(single) || known.has(single.replace(MY, ""));
    });
  });
}

/** Put together when the first password is chosen: most processes never see one. */
function knownWords(): ReadonlySet<string> {
  if (words === null) {
    const all = COMMON_WORDS.trim().split(/\s+/);
    words = new Set(all.flatMap((word) => [word, word.slice(0, KEPT_CHARS)]));
  }
  return words;
}

const plainLetters = (text: string): string => text.replaceAll(/[013457@$]/g, (sign) => LETTERS[sign] ?? sign);

function reverse(text: string): string {
  return [...text].reverse().join("");
}
