import { parseIncludeUsage } from "../chat/request.ts";
import { badRequest } from "../failure.ts";
import type { Fields } from "../fields.ts";
import { findFlag, findInteger, findText, getText } from "../fields.ts";
import { OUTPUT_TOKENS_MAX, parseStops } from "../text/cut.ts";
import type { TextInput } from "../text/inputs.ts";
import { countInputs, parseInputs } from "../text/inputs.ts";
import { countTokens } from "../text/tokenize.ts";

export interface CompletionRequest {
  readonly model: string;
  readonly prompts: readonly TextInput[];
  readonly suffix: string | undefined;
  /** OpenAI's own field: the prompt is sent back before the completion. */
  readonly echoesPrompt: boolean;
  readonly stops: readonly string[];
  readonly tokensMax: number;
  readonly choicesPerPrompt: number;
  readonly isStream: boolean;
  readonly includeUsage: boolean;
  readonly topLogprobs: number | undefined;
  readonly promptTokens: number;
}

const CHOICES_MAX = 2048;

export function parseCompletionRequest(body: Fields): CompletionRequest {
  const prompts = parseInputs(body.prompt ?? "", "prompt");
  const suffix = findText(body, "suffix");
  const tokensMax = findInteger(body, "max_tokens", { min: 0, max: 10_000_000 }) ?? OUTPUT_TOKENS_MAX;
  return {
    model: getText(body, "model"),
    prompts,
    suffix,
    echoesPrompt: findFlag(body, "echo") ?? false,
    stops: parseStops(body),
    tokensMax: Math.min(tokensMax, OUTPUT_TOKENS_MAX),
    choicesPerPrompt: parseChoices(body, prompts.length),
    isStream: findFlag(body, "stream") ?? false,
    includeUsage: parseIncludeUsage(body),
    topLogprobs: findInteger(body, "logprobs", { min: 0, max: 5 }),
    promptTokens: countInputs(prompts) + countTokens(suffix ?? ""),
  };
}

/** All candidates of `best_of` would be equal, so only its consistency with `n` matters. */
function parseChoices(body: Fields, promptCount: number): number {
  const choices = findInteger(body, "n", { min: 1, max: 128 }) ?? 1;
  const bestOf = findInteger(body, "best_of", { min: 1, max: 128 }) ?? choices;
  if (bestOf < choices) throw badRequest("'best_of' must not be less than 'n'.", "best_of", "invalid_value");
  if (bestOf > choices && body.stream === true) {
    throw badRequest("'best_of' above 'n' cannot be streamed.", "best_of", "invalid_value");
  }
  if (choices * promptCount > CHOICES_MAX)
    throw badRequest(`At most ${CHOICES_MAX} choices in one request.`, "n", "invalid_value");
  return choices;
}
