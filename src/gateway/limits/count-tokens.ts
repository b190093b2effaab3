import type { CallUnits } from "../../contract/usage.ts";
import type { Fields } from "../deps.ts";
import { answersAsked, longestAsked } from "../metering/estimate.ts";
import { type PromptMeasure, tokensAbout } from "../metering/prompt-measure.ts";

/** The prompt, and the longest answers that the request allows; what it really was is set right at the end. */
export function tokensAsked(request: Fields, measure: PromptMeasure): number {
  const most = longestAsked(request) ?? 0;
  return tokensAbout(measure) + (most > 0 ? most * answersAsked(request) : 0);
}

/** Tokens as limits count them. */
export const tokensOf = ({ promptTokens, completionTokens }: CallUnits): number => promptTokens + completionTokens;
