import { isRecord } from "../lib/json.ts";
import type { Fields, InferenceCall } from "./deps.ts";

const CHARS_MAX = 256;

/** For whom a caller makes the call, where it says so: by a header, else in the request. */
export function endUserOf(call: Pick<InferenceCall, "header">, request: Fields): string | null {
  const { user, litellm_metadata: internal, metadata } = request;
  const candidates = [
    call.header("x-gw-customer-id"),
    call.header("x-gw-end-user-id"),
    user,
    isRecord(internal) ? internal.user : null,
    isRecord(metadata) ? metadata.user_id : null,
  ];
  const found = candidates.find((one) => typeof one === "string" && one !== "");
  return typeof found === "string" ? found.slice(0, CHARS_MAX) : null;
}
