import { isRecord } from "../../lib/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A part of a message in Google's own form, for what chats have no kind of part for: the type and the field that holds it. */
export const GOOGLE_PART = "google_part";

/**
 * Whether the caller speaks Google's own form, and is to get all that the answer has. The field then holds what only Google's
 * models understand of the request.
 */
export const isInGoogleForm = (request: Fields): boolean => request.google_form !== undefined;

/**
 * Fields of a message and of deltas for what a chat's answer has no place for: parts of other kinds than text, calls and
 * pictures; and of a choice, the reason of its end in Google's words.
 */
export const OWN_PARTS = "google_parts";
export const OWN_REASON = "google_finish_reason";

/** The parts, as they came. */
export const ownParts = (said: Fields): readonly Record<string, unknown>[] => {
  const parts = said[OWN_PARTS];
  return Array.isArray(parts) ? parts.filter(isRecord) : [];
};
