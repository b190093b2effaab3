import { words } from "./key-table.ts";

const tiers = (name: string, suffixes: string) => [name, ...words(suffixes).map((suffix) => `${name}_${suffix}`)];

/** Price fields, in USD per unit; they stand in `litellm_params` or in `model_info`. */
export const PRICE_KEYS: readonly string[] = [
  ...["input", "output"].flatMap((side) =>
    tiers(
      `${side}_cost_per_token`,
      `flex priority batches above_128k_tokens above_200k_tokens above_272k_tokens
       above_200k_tokens_priority above_272k_tokens_priority`,
    ),
  ),
  ...tiers("cache_creation_input_token_cost", "above_200k_tokens above_1hr"),
  ...tiers("cache_read_input_token_cost", "flex priority batches above_200k_tokens above_272k_tokens"),
  "cache_read_input_audio_token_cost",
  ...words("character audio_token image_token query image second").map((unit) => `input_cost_per_${unit}`),
  ...words("character audio_token image_token image reasoning_token second").map((unit) => `output_cost_per_${unit}`),
];

/** Prices of things that are not counted here. */
const UNCHARGED: readonly string[] = words(`
  input_cost_per_audio_per_second input_cost_per_video_per_second input_cost_per_pixel
  output_cost_per_second_1080p output_cost_per_audio_per_second
  output_cost_per_video_per_second output_cost_per_pixel
  ocr_cost_per_page annotation_cost_per_page citation_cost_per_token search_context_cost_per_query tiered_pricing`);

const ADVICE = "no call is charged by it";

/** As advice in a table of keys. */
export const UNCHARGED_PRICES = Object.fromEntries(UNCHARGED.map((name) => [name, ADVICE]));

const ENDING = /(?:_above_\d{1,6}k_tokens)?(?:_flex|_priority|_batches)?$/;

/** Whether calls are charged by a key: a price, also above any length of the prompt and for a service tier. */
export const isPriceKey = (key: string): boolean => PRICE_KEYS.includes(key.replace(ENDING, ""));

/** Says of a key that looks like a price and is none that it is none; null of all others. */
export function notAPrice(key: string): string | null {
  if (!/_cost(?:_|$)/.test(key) || isPriceKey(key) || UNCHARGED.includes(key)) return null;
  return ADVICE;
}
