import type { Usage } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";

/** Tokens as Anthropic counts them: those that a cache was read for, or written with, are counted apart. */
export function messageUsage(usage: Usage | null | undefined): object {
  const read = usage?.cache_read_input_tokens ?? usage?.prompt_tokens_details?.cached_tokens ?? 0;
  const written = usage?.cache_creation_input_tokens ?? usage?.prompt_tokens_details?.cache_creation_tokens ?? 0;
  return {
    input_tokens: Math.max(0, (usage?.prompt_tokens ?? 0) - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage?.completion_tokens ?? 0,
    ...(isRecord(usage?.cache_creation) && { cache_creation: usage.cache_creation }),
    ...(isRecord(usage?.server_tool_use) && { server_tool_use: usage.server_tool_use }),
  };
}
