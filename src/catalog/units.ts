import type { Usage } from "../contract/chat.ts";
import type { ChargedUnits } from "../contract/usage.ts";
import { isRecord } from "../lib/json.ts";

/** What a call has used: tokens as OpenAI counts them, and the units of calls that are not counted in tokens. */
export interface MeteredUsage extends Partial<Usage> {
  /** The names that pictures and transcriptions have for them. */
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly images?: number;
  /** Of sound, heard or spoken. */
  readonly seconds?: number;
  readonly characters?: number;
}

/** No call uses more of anything: an upstream that reports more has lost its mind, and must not break the books. */
export const COUNT_MAX = 1_000_000_000;

/** A usage as it was reported, normalised. Details are part of a whole: never more of them than there is of it. */
export function unitsOf(usage: MeteredUsage): ChargedUnits {
  const details = recordOf(usage.prompt_tokens_details ?? usage.input_tokens_details ?? usage.input_token_details);
  const said = recordOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  const promptTokens = count(usage.prompt_tokens ?? usage.input_tokens);
  const completionTokens = answerTokens(usage, said.reasoning_tokens);
  const cachedTokens = Math.min(count(details.cached_tokens ?? readFromCache(usage)), promptTokens);
  const written = count(details.cache_creation_tokens ?? usage.cache_creation_input_tokens);
  const cacheWriteTokens = Math.min(written, promptTokens - cachedTokens);
  const reasoningTokens = Math.min(count(said.reasoning_tokens), completionTokens);
  const anew = promptTokens - cachedTokens - cacheWriteTokens;
  const audioInputTokens = Math.min(count(details.audio_tokens), anew);
  const audioOutputTokens = Math.min(count(said.audio_tokens), completionTokens - reasoningTokens);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: Math.min(longLivedWrites(usage, details), cacheWriteTokens),
    reasoningTokens,
    audioInputTokens,
    imageInputTokens: Math.min(count(details.image_tokens), anew - audioInputTokens),
    audioOutputTokens,
    imageOutputTokens: Math.min(count(said.image_tokens), completionTokens - reasoningTokens - audioOutputTokens),
    images: count(usage.images),
    soundMs: count(typeof usage.seconds === "number" ? Math.round(usage.seconds * 1000) : 0),
    characters: count(usage.characters),
  };
}

/** xAI counts what was thought beside what was said. Who does so is known by the total, which has both. */
function answerTokens(usage: MeteredUsage, reasoning: unknown): number {
  const told = count(usage.completion_tokens ?? usage.output_tokens);
  const both = told + count(reasoning);
  return count(usage.prompt_tokens ?? usage.input_tokens) + both === usage.total_tokens ? both : told;
}

/** Where Anthropic's users, DeepSeek and Moonshot have it. */
const readFromCache = (usage: MeteredUsage): unknown =>
  usage.cache_read_input_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens;

/** Anthropic's prompt cache keeps some writes for an hour, at a price of their own. It and LiteLLM tell them in two places. */
function longLivedWrites(usage: MeteredUsage, details: Readonly<Record<string, unknown>>): number {
  const writes = recordOf(details.cache_creation_token_details ?? usage.cache_creation);
  return count(writes.ephemeral_1h_input_tokens);
}

const NONE: Readonly<Record<string, unknown>> = {};
const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : NONE);

/** Upstreams report what they like: what is no count is none, and no count is negative. */
function count(value: unknown): number {
  return typeof value === "number" && value > 0 ? Math.min(Math.floor(value), COUNT_MAX) : 0;
}
