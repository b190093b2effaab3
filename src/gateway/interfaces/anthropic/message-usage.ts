import { isRecord } from "../../../lib/json.ts";
import type { ResponseMetadata } from "../../call/response-metadata.ts";

/**
 * Tokens as Anthropic counts them: those that a cache was read for, or written with, are counted apart. Where the upstream did
 * not count, those of the estimate by which the call is charged.
 */
export function messageUsage(given: unknown, estimate: ResponseMetadata["estimate"]): object {
  const usage = isRecord(given) ? given : {};
  const details = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const read = count(usage.cache_read_input_tokens ?? details.cached_tokens);
  const written = count(usage.cache_creation_input_tokens ?? details.cache_creation_tokens);
  return {
    input_tokens: Math.max(0, (estimate?.promptTokens ?? count(usage.prompt_tokens)) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: estimate?.completionTokens ?? count(usage.completion_tokens),
    ...(isRecord(usage.cache_creation) && { cache_creation: usage.cache_creation }),
    ...(isRecord(usage.server_tool_use) && { server_tool_use: usage.server_tool_use }),
  };
}

const count = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
