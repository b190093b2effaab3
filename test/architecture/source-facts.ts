import type { SourceFacts } from "./facts.ts";
import { readHashComments, readMarkdown, readPython, readStyleSheet } from "./plain-text.ts";
import { readTypeScript } from "./typescript.ts";

/** The list of banned words names them, and the test plants them; the other two are lists of data. */
const EXEMPT: ReadonlySet<string> = new Set([
  "test/architecture/words.ts",
  "test/architecture/rules.test.ts",
  "src/accounts/common-words.ts",
]);

const NOTHING: SourceFacts = { functions: [], names: [], prose: [] };

/** Reads a file for the rules, by the language that its name tells. */
export function readSource(path: string, text: string): SourceFacts {
  if (EXEMPT.has(path)) return NOTHING;
  if (/\.(?:tsx?|mjs|js)$/.test(path)) return readTypeScript(path, text);
  if (path.endsWith(".py")) return readPython(path, text);
  if (path.endsWith(".md")) return readMarkdown(text);
  return path.endsWith(".css") ? readStyleSheet(text) : readHashComments(text);
}
