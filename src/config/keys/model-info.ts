import { keyTable, words } from "./key-table.ts";
import { PRICE_KEYS, UNCHARGED_PRICES } from "./prices.ts";

const CAPABILITIES = words(`
  system_messages response_schema vision function_calling tool_choice assistant_prefill prompt_caching
  computer_use audio_input audio_output embedding_image_input pdf_input native_streaming
  native_structured_output parallel_function_calling web_search reasoning url_context
  none_reasoning_effort minimal_reasoning_effort low_reasoning_effort xhigh_reasoning_effort
  max_reasoning_effort`).map((name) => `supports_${name}`);

export const MODEL_INFO_NUMBERS: ReadonlySet<string> = new Set([
  ...PRICE_KEYS,
  ...words("max_tokens max_input_tokens max_output_tokens tpm rpm output_vector_size markup_percent"),
]);

export const MODEL_INFO_BOOLEANS: ReadonlySet<string> = new Set([
  ...CAPABILITIES,
  "uses_embed_content",
  "db_model",
  "free",
  "disable_background_health_check",
]);

const AS_PARAM = "write it into `litellm_params`";

/** `model_info` is free: other keys are kept and handed out as they are. */
export const MODEL_INFO = keyTable({
  served: [
    "id base_model mode key litellm_provider supported_openai_params access_groups provider_specific_entry",
    "created_at created_by updated_at updated_by",
    ...[...MODEL_INFO_NUMBERS].filter((name) => name !== "rpm" && name !== "tpm"),
    ...MODEL_INFO_BOOLEANS,
  ].join(" "),
  instead: UNCHARGED_PRICES,
  known: `
    tier team_public_model_name custom_tokenizer supported_environments
    health_check_timeout health_check_model health_check_voice health_check_max_tokens`,
  protecting: {
    rpm: AS_PARAM,
    tpm: AS_PARAM,
    team_id:
      "keys of all teams may call the model unless they are limited to others; list the models of teams, or use `access_groups`",
  },
});
