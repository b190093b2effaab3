import type { Instead } from "./schema.ts";

/** What does the same here as a guardrail that other gateways have, or nearly so. Settings differ, hence none is another's name. */
const EQUIVALENTS = new Map([
  ["presidio", "`pii` does the same here for e-mail, phone, card, IBAN, IP and US social security numbers"],
  ["hide-secrets", "`secrets` does the same here"],
  ["hide_secrets", "`secrets` does the same here"],
  ["openai_moderation", "`moderation` does the same here, with `model`, the name of a moderation model"],
  ["litellm_content_filter", "`word_list`, `regex` and `pii` do the same here"],
  ["generic_guardrail_api", "`webhook` asks a service of your own here"],
  ["custom_code", "`plugin` runs a module of your own here"],
  ["custom_guardrail", "`plugin` runs a module of your own here"],
  ...["lakera", "lakera_v2", "aporia", "bedrock", "aim", "guardrails_ai", "model_armor", "azure/text_moderations"].map(
    (name) => [name, "`webhook` can ask it, through a small service of your own"] as const,
  ),
]);

/** Why a guardrail of this name is not there and what to use instead. */
export const FOREIGN_GUARDRAILS: Instead = new Map(
  Array.from(EQUIVALENTS, ([name, instead]) => [name, `\`${name}\` is not served; ${instead}`]),
);

const ENTITIES = "`entities` lists what is looked for, and `action` is `mask` or `block` for all of it";
const BOTH_WAYS = "`action: mask` masks, in requests with `mode: pre_call` and in answers with `mode: post_call`";
const UNREACHABLE = "`unreachable_fallback` is `fail_closed` or `fail_open`";

/** Settings of other gateways' guardrails, with what says the same here. */
export const FOREIGN_SETTINGS: Instead = new Map([
  ["pii_entities_config", ENTITIES],
  ["detect_secrets_config", ENTITIES],
  ["presidio_filter_scope", "`mode` says when it looks: at requests with `pre_call`, at answers with `post_call`"],
  ["presidio_ad_hoc_recognizers", "a guardrail `regex` with `patterns` finds what is your own"],
  ["output_parse_pii", "what is masked in a request is put back in its answer unless `reversible` is false"],
  ["logging_only", "`mode: logging_only` says so"],
  ["event_hook", "`mode` says when it looks"],
  ["mask_request_content", BOTH_WAYS],
  ["mask_response_content", BOTH_WAYS],
  ["blocked_words", "a guardrail `word_list` with `words` finds them"],
  ["blocked_words_file", "a guardrail `word_list` with `words` finds them"],
  ["additional_provider_specific_params", "`options` is what a plugin is told"],
  ["api_key", "a webhook's requests are signed with `secret`; `headers` are sent with them"],
  ["block_on_error", UNREACHABLE],
  ["fail_on_error", UNREACHABLE],
]);
