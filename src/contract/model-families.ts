import { PROVIDER_IDS } from "./provider-ids.ts";

const KNOWN: ReadonlySet<string> = new Set(PROVIDER_IDS);

/** Bare names whose provider the name tells. Any other name must say `provider/model`. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/^((us|eu|apac|global)\.)?(anthropic|amazon|meta|cohere|ai21|mistral|stability)\.[a-z]/, "bedrock"],
  [/^(textembedding-gecko|text-(multilingual-)?embedding-00\d|(text|chat|code|codechat)-(bison|unicorn))/, "vertex_ai"],
  [/^(ft:)?(gpt-|chatgpt-|o[134](-|$)|text-embedding-|whisper|tts|dall-e|omni-moderation|text-moderation)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "gemini"],
  [/^(command-|embed-english|embed-multilingual|rerank-)/, "cohere"],
  [/^(mistral-|ministral-|magistral-|devstral-|pixtral-|codestral-|open-mistral-|open-mixtral-)/, "mistral"],
  [/^deepseek-/, "deepseek"],
];

/** The provider of a bare model name, where the name alone tells it. */
export const inferProvider = (name: string): string | null =>
  FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? null;

/** `provider/model` taken apart, or a bare name with the provider that it is known by. */
export function splitModelName(name: string): { readonly provider: string; readonly model: string } | null {
  const slash = name.indexOf("/");
  const provider = slash < 0 ? inferProvider(name) : name.slice(0, slash);
  const model = name.slice(slash + 1);
  return provider !== null && KNOWN.has(provider) && model !== "" ? { provider, model } : null;
}
