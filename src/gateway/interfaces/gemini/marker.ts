import { GatewayError } from "../../../contract/errors.ts";
import type { Fields } from "../../call/gateway.ts";

/** On a request that came to Google's addresses. No JSON has a name like this, and copies of the request keep it. */
const CAME_TO_GOOGLE = Symbol("came to Google's addresses");

export const markOfGoogle = (form: Fields): Fields => ({ google_form: form, [CAME_TO_GOOGLE]: true });

/**
 * Whether a request is in Google's form. `google_form` goes over the fields that were checked, and past limits and prices:
 * where a caller wrote it, it is refused.
 */
export function isGeminiRequest(request: Fields): boolean {
  if (request.google_form === undefined || request.google_form === null) return false;
  if ((request as Record<symbol, unknown>)[CAME_TO_GOOGLE] === true) return true;
  throw new GatewayError(
    "invalid_request",
    "`google_form` is not taken: call `/v1beta/models/{model}:generateContent` for Google's form, or name Google's fields beside the others.",
    { param: "google_form" },
  );
}
