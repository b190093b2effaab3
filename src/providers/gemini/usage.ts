import type { Usage } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";

/**
 * `usageMetadata` as OpenAI counts: thoughts are part of the completion, what Google's own tools read is part of the
 * prompt. Google's prompt count already includes what came from the cache.
 */
export function usageOf(given: Readonly<Record<string, unknown>>): Usage {
  const reasoning = count(given.thoughtsTokenCount);
  const prompt = count(given.promptTokenCount) + count(given.toolUsePromptTokenCount);
  const completion = count(given.candidatesTokenCount) + reasoning;
  const cached = Math.min(count(given.cachedContentTokenCount), prompt);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, ...kinds(given.promptTokensDetails) },
    completion_tokens_details: { reasoning_tokens: reasoning, ...kinds(given.candidatesTokensDetails) },
    ...(cached > 0 ? { cache_read_input_tokens: cached } : {}),
  };
}

/** A number of tokens; anything absurd is none. */
export const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value < 2 ** 40 ? value : 0;

interface Kinds {
  readonly audio_tokens?: number;
  readonly image_tokens?: number;
}

const TEXT_ALONE: Kinds = {};

/** What is no text of it. */
function kinds(details: unknown): Kinds {
  if (!Array.isArray(details)) return TEXT_ALONE;
  const [audio, image] = ["AUDIO", "IMAGE"].map((name) =>
    details.find((one) => isRecord(one) && one.modality === name),
  );
  if (!audio && !image) return TEXT_ALONE;
  return {
    ...(isRecord(audio) ? { audio_tokens: count(audio.tokenCount) } : {}),
    ...(isRecord(image) ? { image_tokens: count(image.tokenCount) } : {}),
  };
}
