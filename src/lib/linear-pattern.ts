import { createRequire } from "node:module";
import { join } from "node:path";
import type { RE2JS } from "re2js";
import { PROGRAM_ROOT } from "./program-root.ts";

/** A regular expression in RE2's syntax: its time is linear in the text, whatever is written in it. */
export interface LinearPattern {
  /** The first match at `from` or behind it; what stands before counts for `^` and `\b`. */
  find(text: string, from: number): { readonly start: number; readonly end: number } | null;
}

const require = createRequire(join(PROGRAM_ROOT, "package.json"));

/** Needed where a guardrail has a pattern, and then at once; most gateways do without its 2 MB. */
const load = (): typeof import("re2js") => require("re2js");

const SOURCE_CHARS_MAX = 10_000;
/** States of the compiled program: repetitions of repetitions multiply, and so does the time for each character. */
const PROGRAM_MAX = 20_000;

/** Throws an `Error` with the reason where the source is no pattern, or one that is too large. */
export function compilePattern(source: string): LinearPattern {
  if (source.length > SOURCE_CHARS_MAX) throw new Error(`is longer than ${SOURCE_CHARS_MAX} characters`);
  const compiled = compile(source);
  if (compiled.programSize() > PROGRAM_MAX) throw new Error("repeats too much");
  const find: LinearPattern["find"] = (text, from) => {
    const matcher = compiled.matcher(text);
    return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : null;
  };
  for (const text of ["", "a b"]) {
    const found = find(text, 0);
    if (found && found.start === found.end) throw new Error("matches where there is nothing");
  }
  return { find };
}

const LOOK_AROUND = /\(\?<?[=!]/;
const NO_LOOK_AROUND = "look-around, as in (?=...), (?!...), (?<=...) and (?<!...), is not supported";

/** Look-around and references to groups are what cannot be matched in linear time; RE2 refuses them. */
function compile(source: string): RE2JS {
  try {
    return load().RE2JS.compile(source);
  } catch (cause) {
    const reason = LOOK_AROUND.test(source) ? NO_LOOK_AROUND : cause instanceof Error ? cause.message : "";
    throw new Error(`is no pattern of RE2's syntax: ${reason.slice(0, 200)}`, { cause });
  }
}
