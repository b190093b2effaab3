import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";

interface Wanted {
  readonly fits: (value: unknown) => boolean;
  readonly words: string;
}

const isText = (value: unknown): boolean => typeof value === "string";
const FLAG: Wanted = { fits: (value) => typeof value === "boolean", words: "true or false" };
const TEXT: Wanted = { fits: isText, words: "text" };
const TEXTS: Wanted = { fits: (value) => Array.isArray(value) && value.every(isText), words: "a list of texts" };
/** What a list of names holds beside names is left out. */
const LIST: Wanted = { ...TEXTS, fits: Array.isArray };
const OBJECT: Wanted = { fits: isRecord, words: "an object" };

/** Fields that steer a call and have an effect only in this form; those that are read in one place are checked there. */
const WANTED: ReadonlyMap<string, Wanted> = new Map([
  ["tags", TEXTS],
  ["metadata", OBJECT],
  ["litellm_metadata", OBJECT],
  ["extra_body", OBJECT],
  ["litellm_session_id", TEXT],
  ["litellm_trace_id", TEXT],
  ["caching", FLAG],
  ["drop_params", FLAG],
  ["additional_drop_params", LIST],
  ["allowed_openai_params", LIST],
  ["enable_json_schema_validation", FLAG],
  ["no-log", FLAG],
  ["turn_off_message_logging", FLAG],
]);

/** Asked for in tests of other gateways: a real answer, which is charged, is not what was meant. */
const MOCKS: ReadonlySet<string> = new Set([
  "mock_response",
  "mock_tool_calls",
  "mock_timeout",
  "mock_delay",
  "mock_testing_rate_limit_error",
]);

const OWN_LISTS = "name what stands in with `fallbacks` or `context_window_fallback_dict`";

/** Settings of the router that a request cannot have: what to send in their place. */
const NOT_ASKED: ReadonlyMap<string, string> = new Map([
  ["context_window_fallbacks", OWN_LISTS],
  ["content_policy_fallbacks", OWN_LISTS],
  ["default_fallbacks", OWN_LISTS],
  ["max_fallbacks", "name only as many `fallbacks` as may be tried"],
  ["retry_policy", "send `num_retries`"],
  ["model_group_retry_policy", "send `num_retries`"],
]);

/** For a field of the gateway's that a request has: what would be passed over without a word is refused. */
export function validateGatewayParams(name: string, value: unknown): void {
  const wanted = WANTED.get(name);
  if (wanted && !wanted.fits(value)) throw noEffect(name, wanted.words);
  const instead = NOT_ASKED.get(name);
  if (instead !== undefined)
    throw refusal(name, `\`${name}\` is a setting of the router, not of a request: ${instead}.`);
  if (MOCKS.has(name) && value !== false) {
    throw refusal(name, `\`${name}\` is not served: a model of the provider \`echo\` answers without a real one.`);
  }
}

/** A field that nobody could read as what was meant. */
export const noEffect = (param: string, wanted: string): GatewayError =>
  refusal(param, `\`${param}\` has no effect like this: send ${wanted}.`);

const refusal = (param: string, message: string): GatewayError =>
  new GatewayError("invalid_request", message, { param });
