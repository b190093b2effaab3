/**
 * Misbehaviour on demand, for tests of whatever stands before echo.
 *
 * A JSON body may carry `echo_fault`, an object; a multipart form carries the same object as JSON text in a field of
 * that name. Unknown names in it are refused, so that a typing error cannot make a test pass.
 *
 *   delay_ms        wait so long before anything else happens (at most 600000)
 *   status          answer with this status, 300 to 599, and an OpenAI error body instead of the answer
 *   message, error_type, error_code   what that error body says; there are fitting defaults for each status
 *   retry_after     seconds, sent as the `retry-after` header of that error
 *   token_delay_ms  wait so long before each piece of a stream (at most 60000)
 *   cut_after       a stream breaks off after so many pieces, without `[DONE]`, if it has as many; any other answer breaks
 *                   in its middle
 *   error_after     a stream sends an error object as a `data:` frame after so many pieces and ends, without `[DONE]`;
 *                   any other answer is that error, with `status` or 500. With this field `status` stays the error's own
 *   malformed       the answer is no answer, with `status` or 200:
 *                     html          a page, as a misconfigured proxy sends it
 *                     half_json     JSON that stops in the middle (in a `data:` frame when a stream was asked for)
 *                     empty         no body
 *                     invalid_utf8  bytes that are not UTF-8 inside a JSON string
 *                     endless_line  one line that does not end before 256 MiB
 *   times, key      misbehave only on the first `times` requests that carry the same `key` (without a key: the same fault)
 */
import { badRequest, EchoFailure } from "./failure.ts";
import type { Fields } from "./fields.ts";
import { findInteger, findNumber, findObject, findOneOf, findText } from "./fields.ts";

const MALFORMED = ["html", "half_json", "empty", "invalid_utf8", "endless_line"] as const;
export type Malformed = (typeof MALFORMED)[number];

export interface Fault {
  readonly delayMs: number;
  readonly tokenDelayMs: number;
  readonly status: number | undefined;
  readonly error: EchoFailure;
  readonly retryAfter: number | undefined;
  readonly cutAfter: number | undefined;
  readonly errorAfter: number | undefined;
  readonly malformed: Malformed | undefined;
}

const FIELD_NAMES = new Set([
  ...["delay_ms", "status", "message", "error_type", "error_code", "retry_after", "token_delay_ms"],
  ...["cut_after", "error_after", "malformed", "times", "key"],
]);

/** Counts how often each key has misbehaved; the oldest keys are forgotten so that it cannot grow without end. */
export class FaultBook {
  private readonly used = new Map<string, number>();

  constructor(private readonly keysMax = 10_000) {}

  /** The fault that this request gets: undefined when it carries none or has had it often enough. */
  take(body: Fields): Fault | undefined {
    const fields = findObject(body, "echo_fault");
    if (fields === undefined) return undefined;
    const fault = parseFault(fields);
    const times = findInteger(fields, "times", { min: 0, max: 1_000_000 });
    if (times === undefined) return fault;
    // A hash, because a caller chooses how long the key is.
    const key = Bun.hash(findText(fields, "key") ?? JSON.stringify(fields)).toString();
    const usedBefore = this.used.get(key) ?? 0;
    if (usedBefore >= times) return undefined;
    this.used.set(key, usedBefore + 1);
    if (this.used.size > this.keysMax) this.used.delete(this.used.keys().next().value ?? key);
    return fault;
  }
}

function parseFault(fields: Fields): Fault {
  for (const name of Object.keys(fields)) {
    if (!FIELD_NAMES.has(name))
      throw badRequest(`'echo_fault' has no field '${name}'.`, "echo_fault", "unknown_parameter");
  }
  const status = findInteger(fields, "status", { min: 300, max: 599 });
  return {
    delayMs: findNumber(fields, "delay_ms", { min: 0, max: 600_000 }) ?? 0,
    tokenDelayMs: findNumber(fields, "token_delay_ms", { min: 0, max: 60_000 }) ?? 0,
    status,
    error: faultError(fields, status ?? 500),
    retryAfter: findNumber(fields, "retry_after", { min: 0, max: 1_000_000 }),
    cutAfter: findInteger(fields, "cut_after", { min: 0, max: 1_000_000 }),
    errorAfter: findInteger(fields, "error_after", { min: 0, max: 1_000_000 }),
    malformed: findOneOf(fields, "malformed", MALFORMED),
  };
}

function faultError(fields: Fields, status: number): EchoFailure {
  const [type, code] = defaultNames(status);
  return new EchoFailure(
    status,
    findText(fields, "message") ?? `Echo was asked to fail with status ${status}.`,
    null,
    findText(fields, "error_code") ?? code,
    findText(fields, "error_type") ?? type,
  );
}

/** `type` and `code` as OpenAI's own service answers them. */
function defaultNames(status: number): readonly [string, string | null] {
  if (status === 401) return ["invalid_request_error", "invalid_api_key"];
  if (status === 404) return ["invalid_request_error", "model_not_found"];
  if (status === 429) return ["requests", "rate_limit_exceeded"];
  return status >= 500 ? ["server_error", null] : ["invalid_request_error", null];
}
