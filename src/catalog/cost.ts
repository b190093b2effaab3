import type { Usage } from "../contract/chat.ts";
import { isRecord } from "../lib/json.ts";
import { findPrice, MILLI, type PriceComponent, type Prices, priceAt, toNanoUsd } from "./price.ts";

/** What a call has used: tokens as OpenAI counts them, and the units of calls that are not counted in tokens. */
export interface MeteredUsage extends Partial<Usage> {
  readonly images?: number;
  /** Of sound, heard or spoken. */
  readonly seconds?: number;
  readonly characters?: number;
  /** A call is one request unless this says otherwise. */
  readonly requests?: number;
}

/** What a call costs. Each token is charged once, under the most exact component that it belongs to. */
export function costNanoUsd(prices: Prices, usage: MeteredUsage): bigint {
  const promptTokens = count(usage.prompt_tokens);
  let total = 0n;
  for (const [component, thousandths] of quantities(usage)) {
    if (thousandths === 0n) continue;
    const price = findPrice(prices, component);
    if (price) total += priceAt(price, promptTokens) * thousandths;
  }
  return toNanoUsd(total);
}

/** How much of each component was used, in thousandths of its unit. */
function quantities(usage: MeteredUsage): [PriceComponent, bigint][] {
  const prompt = new Pool(count(usage.prompt_tokens));
  const details = usage.prompt_tokens_details;
  const cacheRead = prompt.take(details?.cached_tokens ?? usage.cache_read_input_tokens);
  const written = details?.cache_creation_tokens ?? usage.cache_creation_input_tokens;
  const cacheWrite = new Pool(prompt.take(written));
  const cacheWrite1h = cacheWrite.take(longLivedWrites(details));
  const audioInput = prompt.take(details?.audio_tokens);
  const completion = new Pool(count(usage.completion_tokens));
  const reasoning = completion.take(usage.completion_tokens_details?.reasoning_tokens);
  const audioOutput = completion.take(usage.completion_tokens_details?.audio_tokens);
  return [
    ["input", prompt.left * MILLI],
    ["cache_read", cacheRead * MILLI],
    ["cache_write", cacheWrite.left * MILLI],
    ["cache_write_1h", cacheWrite1h * MILLI],
    ["audio_input", audioInput * MILLI],
    ["output", completion.left * MILLI],
    ["reasoning", reasoning * MILLI],
    ["audio_output", audioOutput * MILLI],
    ["image", count(usage.images) * MILLI],
    ["second", count(typeof usage.seconds === "number" ? Math.round(usage.seconds * 1000) : 0)],
    ["character", count(usage.characters) * MILLI],
    ["request", count(usage.requests ?? 1) * MILLI],
  ];
}

/** Details are part of a whole: they are taken out of it, and never more than there is. */
class Pool {
  constructor(public left: bigint) {}

  take(wanted: unknown): bigint {
    const taken = count(wanted) < this.left ? count(wanted) : this.left;
    this.left -= taken;
    return taken;
  }
}

/** Anthropic's prompt cache keeps some writes for an hour, at a price of their own. */
function longLivedWrites(details: unknown): unknown {
  const byLife = isRecord(details) ? details.cache_creation_token_details : null;
  return isRecord(byLife) ? (byLife.ephemeral_1h_input_tokens ?? 0) : 0;
}

/** Upstreams report what they like: what is no count is none, and no count is negative. */
function count(value: unknown): bigint {
  if (typeof value === "bigint") return value > 0n ? value : 0n;
  if (typeof value !== "number" || !(value > 0)) return 0n;
  return BigInt(Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER));
}
