import type { ChunkingStrategy } from "../../contract/assistants/parts.ts";

/** What is taken where a caller says nothing. */
const AUTO = { size: 800, overlap: 400 };

export interface Chunk {
  readonly text: string;
  /** The headings above it. */
  readonly headings: string;
}

/** About what a model counts as one token: a word of up to six letters, a piece of a longer one, or a sign. */
const PIECE = /[\p{L}\p{N}]{1,6}|[^\s\p{L}\p{N}]/gu;
const HEADING = /^(#{1,6})\s+(.+)$/gm;
/** From the strongest: a heading, a blank line, the end of a sentence, of a line, of a word. */
const BREAKS = [/\n(?=#{1,6}\s)/g, /\n\s*\n/g, /[.!?](?=\s)/g, /\n/g, /\s/g];
/** A chunk ends at the strongest break in the last part of it. */
const BREAK_SHARE = 0.3;

function sizesOf(strategy: ChunkingStrategy): { readonly size: number; readonly overlap: number } {
  if (strategy.type === "auto") return AUTO;
  const { max_chunk_size_tokens: size, chunk_overlap_tokens: overlap } = strategy.static;
  return { size, overlap };
}

/** Of one text; as many as the interface allows in a file. */
const TOKENS_MAX = 5_000_000;

/**
 * A text in pieces of at most so many tokens, each beginning with the end of the one before; null where it has too many. Takes
 * as long as the text is, whatever stands in it: nothing is looked through again for each piece.
 */
export function chunkText(text: string, strategy: ChunkingStrategy): Chunk[] | null {
  const { size, overlap } = sizesOf(strategy);
  const pieces: number[] = [];
  for (const { index } of text.matchAll(PIECE)) {
    if (pieces.push(index) > TOKENS_MAX) return null;
  }
  const headingsAt = headingsOf(text);
  const chunks: Chunk[] = [];
  for (let first = 0; first < pieces.length; ) {
    const start = pieces[first] ?? 0;
    const last = first + size;
    const end = last >= pieces.length ? text.length : breakBefore(text, pieces, first, last);
    const body = text.slice(start, end).trim();
    if (body !== "") chunks.push({ text: body, headings: headingsAt(start) });
    if (end >= text.length) break;
    const next = pieceAt(pieces, end);
    // Always on by at least a piece, whatever overlap is asked for.
    first = Math.max(first + 1, next - Math.min(overlap, Math.floor((next - first) / 2)));
  }
  return chunks;
}

function breakBefore(text: string, pieces: readonly number[], first: number, last: number): number {
  const from = pieces[Math.floor(last - (last - first) * BREAK_SHARE)] ?? 0;
  const to = pieces[last] ?? text.length;
  const part = text.slice(from, to);
  for (const pattern of BREAKS) {
    let found: RegExpExecArray | null = null;
    for (const one of part.matchAll(pattern)) found = one;
    if (found) return from + found.index + (/\s/.test(found[0]) ? 0 : found[0].length);
  }
  return to;
}

/** The first piece at or behind a place. */
function pieceAt(pieces: readonly number[], place: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle] ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

const TITLE_CHARS_MAX = 200;

/** What stands above a place; to be asked for one place after the other, as they come in the text. */
function headingsOf(text: string): (place: number) => string {
  const found = text.matchAll(HEADING);
  const open: { readonly level: number; readonly title: string }[] = [];
  let next = found.next();
  return (place) => {
    for (; !next.done && next.value.index <= place; next = found.next()) {
      const [, marks = "#", title = ""] = next.value;
      while ((open.at(-1)?.level ?? 0) >= marks.length) open.pop();
      open.push({ level: marks.length, title: title.slice(0, TITLE_CHARS_MAX) });
    }
    return open.map(({ title }) => title).join(" > ");
  };
}
