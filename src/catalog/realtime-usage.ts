import type { ChargedUnits } from "../contract/usage.ts";
import { isRecord } from "../lib/json.ts";
import { type MeteredUsage, unitsOf } from "./units.ts";

type Fields = Readonly<Record<string, unknown>>;
const NONE: Fields = {};
const recordOf = (value: unknown): Fields => (isRecord(value) ? value : NONE);
const count = (value: unknown): number => (typeof value === "number" && value > 0 ? Math.floor(value) : 0);

/**
 * What a response of a realtime session has used, as it tells itself; null where it tells nothing. Its counts of sound and
 * pictures have in them what a cache had of them, which has a price of its own.
 */
export function realtimeUnits(usage: unknown): ChargedUnits | null {
  if (!isRecord(usage)) return null;
  const input = recordOf(usage.input_token_details ?? usage.input_tokens_details);
  const output = usage.output_token_details ?? usage.output_tokens_details;
  const cached = recordOf(input.cached_tokens_details);
  const anew = (kind: string): number => Math.max(0, count(input[kind]) - count(cached[kind]));
  const units = unitsOf({
    ...usage,
    prompt_tokens_details: { ...input, audio_tokens: anew("audio_tokens"), image_tokens: anew("image_tokens") },
    ...(isRecord(output) && { completion_tokens_details: output }),
  } as MeteredUsage);
  if (units.promptTokens + units.completionTokens + units.soundMs === 0) return null;
  return { ...units, cachedAudioTokens: Math.min(count(cached.audio_tokens), units.cachedTokens) };
}
