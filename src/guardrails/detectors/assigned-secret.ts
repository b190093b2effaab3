import { CONTEXT_CHARS, type Detector } from "../detector.ts";
import { charSet, isAlphanumeric, trailingRun } from "./characters.ts";

const VALUE_MAX = 200;
/** The name and what stands between it and the value fit into the context that is kept. */
const PATTERN =
  /(?:api[_-]?key|access[_-]?key|secret[_-]?key|client[_-]?secret|access[_-]?token|auth[_-]?token|secret|token|passwd|password|pwd|authorization)["'`]?[ \t]{0,8}(?:[:=]|=>|:=)[ \t]{0,8}["'`]?(?:(?:bearer|basic|token)[ \t]{1,4})?((?:(?!["'`,;<>])[!-~]){8,200})/gi;
const LOGIN = /[a-z][a-z0-9+.-]{1,20}:\/\/(?:(?![:/@"'`,;<>])[!-~]){1,32}:((?:(?![/@"'`,;<>])[!-~]){3,200})@/gi;
const isInside = charSet(/(?!["'`,;<>])[!-~]/);
const isMixed = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value);

/** A value that is given to something called a password, key, token or secret. */
export const assignedSecret = valueDetector("password", PATTERN, [":", "="], isMixed);
/** The password in an address such as `postgres://user:password@host`. */
export const loginPassword = valueDetector("password", LOGIN, ["://"], () => true);

/** In every match stands one of the signs: they are quicker to find. */
function valueDetector(
  category: string,
  pattern: RegExp,
  signs: readonly string[],
  accept: (value: string) => boolean,
): Detector {
  return {
    next(text, from) {
      const first = Math.max(0, from - CONTEXT_CHARS);
      if (!holdsAny(text, signs, first)) return null;
      pattern.lastIndex = first;
      for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
        const value = found[1] ?? "";
        const start = found.index + found[0].lastIndexOf(value);
        pattern.lastIndex = found.index + 1;
        const isWord = found.index > 0 && isAlphanumeric(text.charCodeAt(found.index - 1));
        if (start >= from && !isWord && accept(value)) return { category, start, end: start + value.length };
      }
      return null;
    },
    // The `@` behind a password belongs to the run.
    open: (text, from) => trailingRun(text, from, isInside, VALUE_MAX + 2),
  };
}

function holdsAny(text: string, signs: readonly string[], from: number): boolean {
  for (const sign of signs) if (text.includes(sign, from)) return true;
  return false;
}
