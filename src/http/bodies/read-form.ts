import { GatewayError } from "../../contract/errors.ts";

/** A route that reads a form takes a body of this size. */
export const FORM_BYTES_MAX = 8 * 1024;
const FIELD_CHARS_MAX = 1024;

/** The fields of a form that a page without a script sends; a missing field is empty. */
export function readForm({ headers }: Request, body: Uint8Array): (name: string) => string {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") {
    throw new GatewayError("unsupported_media_type", "This page sends a form.");
  }
  const fields = new URLSearchParams(new TextDecoder().decode(body));
  return (name) => {
    const text = fields.get(name) ?? "";
    // No database takes a NUL, and no address, password or code has one.
    return text.includes("\0") ? "" : text.slice(0, FIELD_CHARS_MAX);
  };
}
