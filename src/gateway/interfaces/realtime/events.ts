import { ERRORS, type GatewayError } from "../../../contract/errors.ts";
import { isRecord, parseJson } from "../../../lib/json.ts";

export type Event = Record<string, unknown> & { readonly type: string };

/** Where an event says what it is: at its beginning, or behind its id. */
const TYPE = /^\s*\{\s*(?:"event_id"\s*:\s*"[^"\\]*"\s*,\s*)?"type"\s*:\s*"([^"\\]*)"/;

/** Sound on its way to the model and nothing else: all that is sent many times a second. */
const ID = '"event_id"\\s*:\\s*"[^"\\\\]*"\\s*';
const APPEND = new RegExp(
  `^\\s*\\{\\s*(?:${ID},\\s*)?"type"\\s*:\\s*"input_audio_buffer\\.append"\\s*,\\s*(?:${ID},\\s*)?"audio"\\s*:\\s*"[A-Za-z0-9+/=_-]*"\\s*(?:,\\s*${ID})?\\}\\s*$`,
);

/** True for what passes without being parsed: it can be nothing else, whoever reads it. */
export const isPlainSound = (text: string): boolean => APPEND.test(text);

/** What an event of an upstream is, without parsing it where that can be seen; null for what is none. */
export const typeOf = (text: string): string | null => TYPE.exec(text)?.[1] ?? parseEvent(text)?.type ?? null;

/** Null also for what is nested so deeply that it would take seconds to write it again. */
export function parseEvent(text: string): Event | null {
  try {
    const event = parseJson(text);
    return isRecord(event) && typeof event.type === "string" ? (event as Event) : null;
  } catch {
    return null;
  }
}

/** What clients know an error by. */
interface Called {
  readonly type: string;
  readonly code: string;
}

/** As OpenAI's sessions say it. */
export const SESSION_EXPIRED: Called = { type: "invalid_request_error", code: "session_expired" };

/** A refusal or a failure as an event of the session; `about` is the id of the caller's own event. */
export function errorEvent(
  failure: GatewayError,
  eventId: string,
  about: unknown = null,
  { type, code }: Called = ERRORS[failure.kind],
): string {
  return JSON.stringify({
    type: "error",
    event_id: eventId,
    error: {
      type,
      code,
      message: failure.message,
      param: failure.param,
      event_id: typeof about === "string" ? about : null,
    },
  });
}

/** Asks an upstream to stop a response, and to say what it has used. */
export const cancelEvent = (id: string): string =>
  JSON.stringify({ type: "response.cancel", ...(id !== "" && { response_id: id }) });

/** The record under a name of an event, such as its `session`; null where there is none. */
export function recordOf(
  event: Readonly<Record<string, unknown>> | null,
  name: string,
): Record<string, unknown> | null {
  const value = event?.[name];
  return isRecord(value) ? value : null;
}
