import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Fields, InferenceCall } from "./gateway.ts";

/** What a call says itself about its time and its tries; null where it says nothing. */
export interface CallOptions {
  /** For all tries together, from when the request came. */
  readonly timeoutMs: number | null;
  /** To the first byte of a stream and between two pieces of it. */
  readonly streamTimeoutMs: number | null;
  readonly retries: number | null;
}

const RETRIES_MAX = 10;
/** Most calls say nothing, and share this. */
const NO_WISHES: CallOptions = { timeoutMs: null, streamTimeoutMs: null, retries: null };

/** Of the body, else of a header. What cannot be read is refused: a limit that is not kept would be noticed too late. */
export function parseCallOptions(call: InferenceCall, request: Fields): CallOptions {
  const { num_retries: retries, max_retries: sameRetries } = request;
  const timeoutMs =
    timeLimit("timeout", request.timeout) ??
    timeLimit("request_timeout", request.request_timeout) ??
    timeLimit("x-gw-timeout", call.header("x-gw-timeout"));
  const streamTimeoutMs =
    timeLimit("stream_timeout", request.stream_timeout) ??
    timeLimit("x-gw-stream-timeout", call.header("x-gw-stream-timeout"));
  const tries =
    count("num_retries", retries) ??
    count("max_retries", sameRetries) ??
    count("x-gw-num-retries", call.header("x-gw-num-retries"));
  if (timeoutMs === null && streamTimeoutMs === null && tries === null) return NO_WISHES;
  // 0 is said, so that no header counts, and means no limit of its own.
  return { timeoutMs: timeoutMs || null, streamTimeoutMs: streamTimeoutMs || null, retries: tries };
}

/** How often to try again, where the request or its first deployment says so; in this order. */
export function requestedRetries({ retries }: CallOptions, { params }: Deployment): number | null {
  return retries ?? configured(params.num_retries) ?? configured(params.max_retries);
}

/** When the caller stops waiting, on the monotonic clock; null where it has not said. */
export const clientDeadlineMs = ({ receivedAtMs }: InferenceCall, { timeoutMs }: CallOptions): number | null =>
  timeoutMs === null ? null : receivedAtMs + timeoutMs;

/** Seconds as milliseconds. */
function timeLimit(name: string, said: unknown): number | null {
  if (said === null || said === undefined) return null;
  const value = numberOf(said);
  if (Number.isFinite(value) && value >= 0) return value * 1000;
  throw refusal(name, "is in seconds: a number of 0 or more is wanted.");
}

function count(name: string, said: unknown): number | null {
  if (said === null || said === undefined) return null;
  const value = numberOf(said);
  if (Number.isInteger(value) && value >= 0) return Math.min(value, RETRIES_MAX);
  throw refusal(name, "says how often a call is tried again: a whole number of 0 or more is wanted.");
}

/** Headers and forms have text alone, and some clients write numbers as text. */
function numberOf(said: unknown): number {
  if (typeof said === "number") return said;
  return typeof said === "string" && said.trim() !== "" ? Number(said) : Number.NaN;
}

const configured = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? Math.min(value, RETRIES_MAX) : null;

const refusal = (name: string, wanted: string): GatewayError =>
  new GatewayError("invalid_request", `\`${name}\` ${wanted}`, { param: name });
