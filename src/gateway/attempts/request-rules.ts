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
export function ownTimeout(call: InferenceCall, request: Fields): number | null {
  const said = request.timeout ?? numberOf(call.header("x-gw-timeout"));
  return typeof said === "number" && said > 0 ? said : null;
}

/** In seconds, to the first byte of a stream and between two pieces of it. */
export function ownStreamTimeout(call: InferenceCall, request: Fields): number | null {
  const said = request.stream_timeout ?? numberOf(call.header("x-gw-stream-timeout"));
  return typeof said === "number" ? said : null;
}
