import { isPlain, isReference, MASK, maskSecretShapes } from "./secrets.ts";
import { isOwnMap, isShownKey, isShownOnOneLine } from "./shown-keys.ts";

const KEY = /^(?<quote>["']?)(?<name>[A-Za-z_][\w.-]*)\k<quote>\s*:$/;
const TOKEN =
  /\s+|[{}[\],]|[A-Za-z_][\w.-]*\s*:(?=\s)|"[\w.-]+"\s*:|'[\w.-]+'\s*:|"[^"\\]*"|'[^']*'|[^\s{}[\],"'#&*!|>%@`?:][^{}[\],"'#&*!|`]*/y;

/** A map or list that is open: what it stands under, and whether anything in it may be shown. */
interface Frame {
  readonly closing: string;
  readonly key: string;
  readonly shown: boolean;
}

/**
 * The value of `key` where it is a map or list between brackets on one line. Keys stay, and of the values numbers, true and
 * false, names of models and what has to come from a list. Null where it cannot be told apart, or goes on on the next line.
 */
export function maskFlow(text: string, key = ""): string | null {
  const tokens = /^[{[]/.test(text) ? tokensOf(text) : null;
  if (tokens === null) return null;
  const open: Frame[] = [];
  let name = key;
  let masked = "";
  for (const token of tokens) {
    const frame = open.at(-1) ?? { closing: "", key, shown: true };
    if (token === "{" || token === "[") {
      const shown = frame.shown && (name === "" || isOwnMap(name) || (token === "[" && isShownKey(name)));
      open.push({ closing: token === "{" ? "}" : "]", key: name, shown });
      masked += token;
      continue;
    }
    const written = KEY.exec(token)?.groups?.name;
    if (written !== undefined) name = written;
    if (token === "}" || token === "]") {
      if (frame.closing !== token) return null;
      open.pop();
      name = frame.key;
    }
    // Each value of a map has a key of its own; the items of a list stand under one.
    if (token === ",") name = frame.closing === "}" ? "" : frame.key;
    const isItem = written === undefined && !/^[\s}\],]/.test(token);
    masked += isItem && !(frame.shown && isShownItem(name, token)) ? MASK : maskSecretShapes(token);
  }
  return open.length === 0 ? masked : null;
}

/** Null where something does not fit. */
function tokensOf(text: string): string[] | null {
  const found: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return null;
    found.push(token);
  }
  return found;
}

function isShownItem(key: string, token: string): boolean {
  const text = token.trim().replace(/^(["'])(.*)\1$/, "$2");
  if (isReference(text)) return true;
  return isPlain(text) ? isShownKey(key) : isShownOnOneLine(key) && !/:\s/.test(text);
}
