import { isRecord } from "../../lib/json.ts";

/** OpenRouter has `cost`, `cost_details` and `is_byok`, DeepInfra `estimated_cost`, xAI `cost_in_usd_ticks`. */
const isPrice = (name: string): boolean => name.includes("cost") || name === "is_byok";

/**
 * An upstream's usage without what it says of its own prices: what callers are told is what they are charged here. The very
 * same where it says nothing.
 */
export function withoutPrices<Told>(usage: Told): Told {
  if (!isRecord(usage) || !tellsPrice(usage)) return usage;
  return Object.fromEntries(Object.entries(usage).filter(([name]) => !isPrice(name))) as Told;
}

function tellsPrice(usage: Record<string, unknown>): boolean {
  for (const name in usage) if (isPrice(name)) return true;
  return false;
}

/** The same of an answer or a chunk of one. */
export function withoutUpstreamPrices<Answer extends { readonly usage?: unknown }>(answer: Answer): Answer {
  const usage = withoutPrices(answer.usage);
  return usage === answer.usage ? answer : { ...answer, usage };
}
