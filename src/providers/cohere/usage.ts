import type { Usage } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { isTokenCount, tokenCount } from "../openai-form/token-count.ts";

/** What the model read and wrote; where that is not said, what was billed, which leaves Cohere's own preamble out. */
export function cohereUsage(usage: unknown): Usage | null {
  if (!isRecord(usage)) return null;
  const prompt = countOf(usage, "input_tokens");
  const completion = countOf(usage, "output_tokens");
  const total = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  if (usage.cached_tokens == null) return total;
  const cached = Math.min(prompt, tokenCount(usage.cached_tokens));
  return { ...total, prompt_tokens_details: { cached_tokens: cached }, cache_read_input_tokens: cached };
}

export function countOf(usage: Readonly<Record<string, unknown>>, name: string): number {
  const { tokens, billed_units: billed } = usage;
  if (isRecord(tokens) && isTokenCount(tokens[name])) return tokenCount(tokens[name]);
  return isRecord(billed) ? tokenCount(billed[name]) : 0;
}
