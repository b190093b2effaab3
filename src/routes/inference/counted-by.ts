/** How the tokens of a prompt are counted, under whichever interface they are asked for. */
export const COUNTED_BY =
  "By the provider's own counter where it has one and no guardrail looks at the request, else with OpenAI's tokenizer, which is an " +
  "estimate. Free, and one of the calls that the key may make in a minute and at one time.";
