import { maskFlow } from "./mask-flow.ts";
import { isReference, MASK, maskSecretShapes } from "./secrets.ts";
import { isShownKey } from "./shown-keys.ts";

const LINE = /^(?<indent>[\s-]*)(?<key>"[\w.-]+"|'[\w.-]+'|[\w.-]+)(?<colon>\s*:)(?<gap>\s+|$)(?<value>.*)$/;
const LENGTH_MAX = 120;

/**
 * A line of the file as it may be shown, with a caret under `column`. Only values of known, harmless keys are shown:
 * a key whose name is misspelled is just where a secret would slip through. The column moves with its word, or to the mask.
 */
export function excerpt(line: string, column: number): readonly [line: string, caret: string] {
  const text = maskLine(line.replace(/\p{C}/gu, " ")).slice(0, LENGTH_MAX);
  const visible = text.trimEnd();
  const maskAt = visible.indexOf(MASK);
  const limit = maskAt === -1 ? visible.length : maskAt;
  const start = Math.min(column - 1, limit);
  const moved = start < column - 1 ? onlyPlace(visible, /^[\w.-]+/.exec(line.slice(column - 1))?.[0]) : null;
  return [visible, `${" ".repeat(Math.max(0, moved ?? start))}^`];
}

/** Where a word stands that a mask before it has moved; null unless it is there once. */
function onlyPlace(text: string, word: string | undefined): number | null {
  const at = word === undefined ? -1 : text.indexOf(word);
  return at === -1 || text.includes(word ?? "", at + 1) ? null : at;
}

function maskLine(line: string): string {
  const groups = LINE.exec(line)?.groups;
  if (groups === undefined) return maskBare(line);
  const { indent = "", key = "", colon = "", gap = "", value = "" } = groups;
  return `${indent}${maskSecretShapes(key)}${colon}${gap}${maskValue(key.replace(/["']/g, ""), value)}`;
}

/** A line without a key: an item of a list, the inside of a longer text, or broken syntax. */
function maskBare(line: string): string {
  const start = /^[\s-]*/.exec(line)?.[0] ?? "";
  const rest = line.slice(start.length);
  return rest === "" || isReference(rest) ? line : `${start}${maskFlow(rest) ?? MASK}`;
}

function maskValue(key: string, value: string): string {
  const bare = value.replace(/(^|\s+)#.*$/, "").trimEnd();
  if (bare === "" || isReference(bare)) return bare;
  if (!isShownKey(key)) return MASK;
  // A map between braces has keys of its own.
  if (/[{}&]/.test(bare)) return maskFlow(bare, key) ?? MASK;
  return maskSecretShapes(bare);
}
