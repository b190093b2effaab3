/** What does the same here as a guardrail that other gateways have, or nearly so. Settings differ, hence none is another's name. */
const EQUIVALENTS: ReadonlyMap<string, string> = new Map([
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

/** Why a guardrail of this name is not there and what to use instead; null for a name that means nothing. */
export function foreignGuardrail(name: string): string | null {
  const instead = EQUIVALENTS.get(name.toLowerCase());
  return instead === undefined ? null : `\`${name}\` is not served; ${instead}`;
}
