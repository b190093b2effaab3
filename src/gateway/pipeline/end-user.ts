import { keptName } from "../../contract/usage-row.ts";
import { isRecord } from "../../lib/json.ts";

/** For whom a caller makes the call, where it says so: by a header, else in the request. As the log and the books have the name. */
export function endUserOf(
  call: { header(name: string): string | null },
  request: Readonly<Record<string, unknown>>,
): string | null {
  const { user, litellm_metadata: internal, metadata } = request;
  const found =
    named(call.header("x-gw-customer-id")) ??
    named(call.header("x-gw-end-user-id")) ??
    named(user) ??
    numbered(isRecord(internal) ? internal.user : null) ??
    numbered(isRecord(metadata) ? metadata.user_id : null);
  return found === null ? null : named(keptName(found));
}

/** No schema looks into metadata, and some have numbers for their users: limits hold for these as well. */
const numbered = (value: unknown): string | null => named(typeof value === "number" ? String(value) : value);

const named = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
