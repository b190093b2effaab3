import { isRecord, recordIn } from "../../lib/json.ts";
import { classifyFailure } from "../classify.ts";
import type { Classified, UpstreamFailure } from "../dialect.ts";

/** Words of an account that has run out of money or quota, lower case. */
const ACCOUNT_SPENT = [
  "insufficient_quota",
  "exceeded your current quota",
  "billing_hard_limit",
  "insufficient balance",
  "insufficient credits",
  "insufficient_balance",
  "insufficient funds",
];

/** Words of a rate limit, whatever the status: Groq says 413 and Mistral has its own code for it. */
const RATE_LIMIT = [
  "rate_limit_exceeded",
  "rate limit reached",
  "rate limit exceeded",
  "service tier capacity exceeded",
  "request too large for",
];

/**
 * What a failure of an upstream that speaks OpenAI's interface means. Its words come before its status, because
 * upstreams of this family agree more on the words than on the numbers.
 */
export function classifyOpenAi(failure: UpstreamFailure, title: string): Classified {
  const { status } = failure;
  const words = failure.body.toLowerCase();
  const says = (fragments: readonly string[]): boolean => fragments.some((fragment) => words.includes(fragment));
  const general = classifyFailure(failure, title);
  if (status === 402 || (isRefusal(status) && says(ACCOUNT_SPENT))) {
    const message = `${title} has no quota left for the account that this gateway uses there. The operator has to top it up.`;
    return { kind: "rate_limit", message };
  }
  if (isRefusal(status) && says(RATE_LIMIT)) return { kind: "rate_limit", message: general.message };
  if (status === 400 && words.includes("current length is") && words.includes("while limit is")) {
    return { kind: "context_window", message: general.message };
  }
  if (status === 403 && errorCode(failure.body) === "model_not_found") {
    return { kind: "model_not_found", message: `${title} does not offer this model to the account of this gateway.` };
  }
  if (isRefusal(status) && words.includes("a timeout occurred")) return { kind: "timeout", message: general.message };
  if (isRefusal(status) && words.includes("the server had an error")) {
    return { kind: "upstream", message: general.message };
  }
  return general;
}

/** A refusal of the key is told by its status alone: what else such a body says is about the operator's account. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 401 && status !== 403;

function errorCode(body: string): unknown {
  const error = recordIn(body)?.error;
  return isRecord(error) ? error.code : null;
}
