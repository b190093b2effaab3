import { hashText } from "../seeded.ts";

interface RankedToken {
  readonly token: string;
  readonly logprob: number;
}

/** What echo pretends to have weighed against the piece that it sent; 21, so that 20 are left without that piece. */
const ALTERNATIVES =
  " the| a| to| and| of| in| is| it| that| for| on| you| this| with| as| not| are| be| I| we| or".split("|");

/** A piece has a probability of 0.6 to 1, fixed by its text. */
function logprobOf(piece: string): number {
  return -(hashText(piece) % 5000) / 10_000;
}

/** The piece itself, then alternatives that halve what probability is left, so that all of them sum to less than 1. */
export function rankTokens(piece: string, count: number): readonly RankedToken[] {
  const logprob = logprobOf(piece);
  const left = Math.max(1 - Math.exp(logprob), 1e-6);
  const others = ALTERNATIVES.filter((token) => token !== piece).map((token, rank) => ({
    token,
    logprob: Math.log(left * 0.5 ** (rank + 1)),
  }));
  return [{ token: piece, logprob }, ...others].slice(0, count);
}

interface ChatLogprob extends RankedToken {
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly (RankedToken & { readonly bytes: readonly number[] })[];
}

export function chatLogprob(piece: string, topCount: number): ChatLogprob {
  return {
    token: piece,
    logprob: logprobOf(piece),
    bytes: utf8(piece),
    top_logprobs: rankTokens(piece, topCount).map((ranked) => ({ ...ranked, bytes: utf8(ranked.token) })),
  };
}

interface CompletionLogprobs {
  readonly tokens: readonly string[];
  readonly token_logprobs: readonly (number | null)[];
  readonly top_logprobs: readonly (Readonly<Record<string, number>> | null)[] | null;
  readonly text_offset: readonly number[];
}

/** The older form of `/completions`. The first piece of a prompt that is echoed has nothing before it: null. */
export function completionLogprobs(
  pieces: readonly string[],
  topCount: number,
  { offset, startsText }: { readonly offset: number; readonly startsText: boolean },
): CompletionLogprobs {
  let end = offset;
  const isFirst = (at: number) => startsText && at === 0;
  const top = (piece: string) => Object.fromEntries(rankTokens(piece, topCount).map((r) => [r.token, r.logprob]));
  return {
    tokens: pieces,
    token_logprobs: pieces.map((piece, at) => (isFirst(at) ? null : logprobOf(piece))),
    top_logprobs: topCount === 0 ? null : pieces.map((piece, at) => (isFirst(at) ? null : top(piece))),
    text_offset: pieces.map((piece) => {
      const start = end;
      end += piece.length;
      return start;
    }),
  };
}

function utf8(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}
