import type { Deployment } from "../../contract/deployment.ts";
import type { Fields, InferenceCall } from "../deps.ts";

const RETRIES_MAX = 10;

/** How often to try again, where the request or its first deployment says so; in this order. */
export function ownRetries(call: InferenceCall, request: Fields, at: Deployment): number | null {
  const said = count(request.num_retries) ?? count(numberOf(call.header("x-gw-num-retries")));
  return said ?? count(at.params.num_retries) ?? count(at.params.max_retries);
}

const count = (value: unknown): number | null =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 ? Math.min(value, RETRIES_MAX) : null;

const numberOf = (text: string | null): number | null => (text === null || text.trim() === "" ? null : Number(text));

/** When the caller stops waiting, on the monotonic clock; null where it has not said. */
export function ownDeadlineMs(call: InferenceCall, request: Fields): number | null {
  const seconds = ownTimeout(call, request);
  return seconds === null ? null : call.receivedAtMs + seconds * 1000;
}

/** In seconds. */
export const ownTimeout = (call: InferenceCall, request: Fields): number | null =>
  seconds(request.timeout ?? call.header("x-gw-timeout"));

/** In seconds, to the first byte of a stream and between two pieces of it. */
export const ownStreamTimeout = (call: InferenceCall, request: Fields): number | null =>
  seconds(request.stream_timeout ?? call.header("x-gw-stream-timeout"));

/** Some clients write numbers as text; a time limit that is not kept would be noticed too late. */
function seconds(said: unknown): number | null {
  const value = typeof said === "string" ? numberOf(said) : said;
  return typeof value === "number" && value > 0 ? value : null;
}
