import type { Usage } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";

/** Anthropic counts what was read from and written to the cache apart; OpenAI's prompt tokens include both. */
export function toUsage(usage: Readonly<Record<string, unknown>>): Usage {
  const read = count(usage.cache_read_input_tokens);
  const written = count(usage.cache_creation_input_tokens);
  const prompt = count(usage.input_tokens) + read + written;
  const completion = count(usage.output_tokens);
  const { output_tokens_details: details, cache_creation: creation, server_tool_use: tools } = usage;
  const counted: { -readonly [Field in keyof Usage]: Usage[Field] } = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: read, cache_creation_tokens: written },
  };
  if (isRecord(details)) {
    counted.completion_tokens_details = { reasoning_tokens: Math.min(count(details.thinking_tokens), completion) };
  }
  counted.cache_read_input_tokens = read;
  counted.cache_creation_input_tokens = written;
  // Figures that have prices of their own: cache writes by how long they last, and searches.
  if (isRecord(creation)) {
    counted.cache_creation = {
      ephemeral_5m_input_tokens: count(creation.ephemeral_5m_input_tokens),
      ephemeral_1h_input_tokens: count(creation.ephemeral_1h_input_tokens),
    };
  }
  if (isRecord(tools)) counted.server_tool_use = { web_search_requests: count(tools.web_search_requests) };
  return counted;
}

const COUNT_MAX = 1e12;

const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= COUNT_MAX ? value : 0;

/** Counts of a stream are sums so far: a later figure takes the place of an earlier one, a missing one of none. */
export function mergeUsage(known: Readonly<Record<string, unknown>>, more: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(more)) return known;
  return { ...known, ...Object.fromEntries(Object.entries(more).filter(([, value]) => (value ?? null) !== null)) };
}
