import type { Usage } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";

/** More than any call can have; a greater number is a fault, and would be money. */
const TOKENS_MAX = 1_000_000_000;

/** Bedrock counts what the cache gave or took apart from `inputTokens`. Null when it says nothing. */
export function decodeUsage(usage: unknown): Usage | null {
  if (!isRecord(usage)) return null;
  const cacheRead = tokens(usage.cacheReadInputTokens);
  const cacheWrite = tokens(usage.cacheWriteInputTokens);
  const prompt = tokens(usage.inputTokens) + cacheRead + cacheWrite;
  const completion = tokens(usage.outputTokens);
  const { cacheDetails: writes } = usage;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_creation_tokens: cacheWrite },
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    // Writes have prices by how long they last, and a name that Anthropic gave them.
    ...(Array.isArray(writes) && {
      cache_creation: {
        ephemeral_5m_input_tokens: writtenFor("5m", writes),
        ephemeral_1h_input_tokens: writtenFor("1h", writes),
      },
    }),
  };
}

const writtenFor = (ttl: string, writes: readonly unknown[]): number =>
  writes.reduce<number>((sum, one) => sum + (isRecord(one) && one.ttl === ttl ? tokens(one.inputTokens) : 0), 0);

export const tokens = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= TOKENS_MAX ? value : 0;
