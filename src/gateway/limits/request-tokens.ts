import type { CallUnits } from "../../contract/usage.ts";
import type { Fields } from "../call/gateway.ts";
import { requestedChoices, requestedMaxTokens } from "../metering/estimate.ts";
import { estimateTokens, type PromptMeasure } from "../metering/prompt-size.ts";

/** About the tokens of the prompt and the longest responses, for limits of deployments. */
export const requestedTokens = (request: Fields, measure: PromptMeasure): number =>
  estimateTokens(measure) + responseTokens(request);

/**
 * An upper bound of the tokens of texts and of the longest responses, for limits of keys, teams and organizations. Each
 * byte may be a token, unless the tokenizer has counted the texts.
 */
export const tokensAskedAtMost = (request: Fields, { bytes, counted, extraTokens }: PromptMeasure): number =>
  (counted ?? bytes) + extraTokens + responseTokens(request);

function responseTokens(request: Fields): number {
  const most = requestedMaxTokens(request) ?? 0;
  return most > 0 ? most * requestedChoices(request) : 0;
}

/** Tokens as limits count them. */
export const tokensOf = ({ promptTokens, completionTokens }: CallUnits): number => promptTokens + completionTokens;
