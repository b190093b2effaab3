import { isRecord } from "../../../lib/json.ts";
import type { Fields } from "../../call/gateway.ts";
import type { ResponseMetadata } from "../../call/response-metadata.ts";

/**
 * Tokens as Google counts them: thoughts apart from what was said. Where the upstream did not count, those of the estimate
 * by which the call is charged; nothing where that is not known.
 */
export function generatedUsage(given: unknown, estimate: ResponseMetadata["estimate"]): { usageMetadata?: Fields } {
  const usage = isRecord(given) ? given : {};
  const prompt = estimate?.promptTokens ?? count(usage.prompt_tokens);
  const completion = estimate?.completionTokens ?? count(usage.completion_tokens);
  if (prompt + completion === 0) return {};
  const thoughts = Math.min(detail(usage.completion_tokens_details, "reasoning_tokens"), completion);
  const cached = detail(usage.prompt_tokens_details, "cached_tokens");
  const usageMetadata = {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - thoughts,
    totalTokenCount: (estimate === null && count(usage.total_tokens)) || prompt + completion,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    ...(cached > 0 && { cachedContentTokenCount: cached }),
  };
  return { usageMetadata };
}

const detail = (details: unknown, name: string): number => (isRecord(details) ? count(details[name]) : 0);

const count = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
