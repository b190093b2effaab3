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
  ...words("character audio_token query image image_token second audio_per_second video_per_second pixel").map(
    (unit) => `input_cost_per_${unit}`,
  ),
  ...words(
    "character audio_token image image_token reasoning_token second second_1080p audio_per_second video_per_second pixel",
  ).map((unit) => `output_cost_per_${unit}`),
  "ocr_cost_per_page",
  "annotation_cost_per_page",
  "citation_cost_per_token",
];

/** Prices that are lists or maps rather than one number. */
export const PRICE_TABLE_KEYS: readonly string[] = words("search_context_cost_per_query tiered_pricing");
