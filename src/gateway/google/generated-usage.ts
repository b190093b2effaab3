import { isRecord } from "../../lib/json.ts";
import type { Fields } from "../deps.ts";

/** Tokens as Google counts them: thoughts apart from what was said. */
export function generatedUsage(given: unknown): Fields {
  const usage = isRecord(given) ? given : {};
  const [prompt, completion] = [count(usage.prompt_tokens), count(usage.completion_tokens)];
  const thoughts = Math.min(detail(usage.completion_tokens_details, "reasoning_tokens"), completion);
  const cached = detail(usage.prompt_tokens_details, "cached_tokens");
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - thoughts,
    totalTokenCount: count(usage.total_tokens) || prompt + completion,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
}

const detail = (details: unknown, name: string): number => (isRecord(details) ? count(details[name]) : 0);

const count = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
