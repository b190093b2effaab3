import { GatewayError } from "../contract/errors.ts";

interface Encoding {
  encode(text: string, options: { disallowedSpecial: ReadonlySet<string> }): number[];
  decode(tokens: Iterable<number>): string;
}

/** Which number stands for which piece of text. */
export type Vocabulary = "o200k_base" | "cl100k_base" | "p50k_base" | "r50k_base";

const LOADERS: Readonly<Record<Vocabulary, () => Promise<Encoding>>> = {
  o200k_base: () => import("gpt-tokenizer/encoding/o200k_base") as Promise<Encoding>,
  cl100k_base: () => import("gpt-tokenizer/encoding/cl100k_base") as Promise<Encoding>,
  p50k_base: () => import("gpt-tokenizer/encoding/p50k_base") as Promise<Encoding>,
  r50k_base: () => import("gpt-tokenizer/encoding/r50k_base") as Promise<Encoding>,
};
const loading = new Map<Vocabulary, Promise<Encoding>>();

/** The tables take half a second and up to ninety megabytes to load, so each is loaded when somebody first needs it. */
function load(vocabulary: Vocabulary): Promise<Encoding> {
  const known = loading.get(vocabulary);
  if (known) return known;
  const encoding = LOADERS[vocabulary]();
  loading.set(vocabulary, encoding);
  return encoding;
}

/** Whatever model is asked, its tokens are counted by this one: a count is an estimate. */
const COUNTED_BY: Vocabulary = "o200k_base";

/** In what people write, `<|endoftext|>` is text like any other. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** Counting holds up everything else in the process, so it pauses after so long, at the end of a piece of this size. */
const TURN_MS = 5;
const CHARACTERS_AT_ONCE = 2_000;

export async function countTokens(text: string, signal?: AbortSignal): Promise<number> {
  const encoding = await load(COUNTED_BY);
  let tokens = 0;
  let turnAt = performance.now();
  for (const piece of pieces(text)) {
    if (performance.now() - turnAt > TURN_MS) {
      await new Promise((resume) => setImmediate(resume));
      signal?.throwIfAborted();
      turnAt = performance.now();
    }
    tokens += encoding.encode(piece, AS_TEXT).length;
  }
  return tokens;
}

export async function decodeTokens(tokens: readonly number[], vocabulary: Vocabulary): Promise<string> {
  const encoding = await load(vocabulary);
  try {
    return encoding.decode(tokens);
  } catch (cause) {
    throw new GatewayError("invalid_request", "A token number is out of range.", { cause });
  }
}

/**
 * The time to encode a word grows with the square of its length: a hundred thousand letters in a row take half a minute.
 * So a run without a break is cut, which may count a token too many per cut; text that people write has no such run.
 */
function* pieces(text: string): Generator<string> {
  let start = 0;
  for (const { 0: run, index } of text.matchAll(/\S{32}|\s{32}/gu)) {
    yield* portions(text.slice(start, index + run.length));
    start = index + run.length;
  }
  yield* portions(text.slice(start));
}

/** Parts of a long text that end where a word ends, which leaves the count as it is. */
function* portions(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > CHARACTERS_AT_ONCE) {
    const space = text.slice(start + CHARACTERS_AT_ONCE).search(/\S\s/);
    if (space < 0) break;
    const end = start + CHARACTERS_AT_ONCE + space + 1;
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}
