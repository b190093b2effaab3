import type { Deployment } from "../../contract/deployment.ts";
import { isRecord } from "../../lib/json.ts";
import type { Fields, InferenceCall } from "../deps.ts";
import { NO_FALLBACKS, type OwnFallbacks } from "./fallback-queue.ts";

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
export const ownStreamTimeout = (call: InferenceCall): number | null => numberOf(call.header("x-gw-stream-timeout"));

/** `models` is OpenRouter's word for them. An upstream never sees it: it would ask models that nobody has checked or priced. */
export function ownFallbacks(request: Fields): OwnFallbacks {
  const { fallbacks, models, context_window_fallback_dict: long, disable_fallbacks: disabled } = request;
  const named = fallbacks ?? models;
  if (!named && !long && disabled !== true) return NO_FALLBACKS;
  return {
    listed: Array.isArray(named) ? named.filter((name) => typeof name === "string") : null,
    forLongPrompts: isRecord(long) ? (long as Record<string, string>) : null,
    disabled: disabled === true,
  };
}
