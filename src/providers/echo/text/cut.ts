import { badRequest } from "../failure.ts";
import type { Fields } from "../fields.ts";
import { tokenize } from "./tokenize.ts";

/** No answer is longer than this, whatever the caller asks for: an echo of a huge prompt must stay bounded. */
export const OUTPUT_TOKENS_MAX = 16_384;

interface CutText {
  readonly pieces: readonly string[];
  readonly finish: "stop" | "length";
}

/** Ends a text before the first stop text in it, then after `tokensMax` pieces. */
export function cutText(text: string, stops: readonly string[], tokensMax: number): CutText {
  const end = Math.min(...stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0), text.length);
  return cutPieces(tokenize(text.slice(0, end)), tokensMax);
}

export function cutPieces(pieces: readonly string[], tokensMax: number): CutText {
  if (pieces.length <= tokensMax) return { pieces, finish: "stop" };
  return { pieces: pieces.slice(0, tokensMax), finish: "length" };
}

export function parseStops({ stop }: Fields): readonly string[] {
  if (stop === undefined || stop === null) return [];
  const stops: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (stops.length > 4) throw badRequest("'stop' takes at most 4 texts.", "stop", "array_above_max_length");
  return stops.map((text) => {
    if (typeof text === "string" && text !== "") return text;
    throw badRequest("'stop' must be a text or a list of texts, none of them empty.", "stop", "invalid_type");
  });
}
