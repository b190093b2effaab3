import { GatewayError } from "../contract/errors.ts";
import { readBytes } from "./read-body.ts";

const BODY_BYTES_MAX = 8 * 1024;
const FIELD_CHARS_MAX = 1024;

/** The fields of a form that a page without a script sends; one that is missing is empty. */
export async function readForm(request: Request): Promise<(name: string) => string> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") {
    throw new GatewayError("unsupported_media_type", "This page sends a form.");
  }
  const fields = new URLSearchParams(new TextDecoder().decode(await readBytes(request, BODY_BYTES_MAX)));
  return (name) => {
    const text = fields.get(name) ?? "";
    // Nobody has an address, a password or a code with a NUL, which no database takes.
    return text.includes("\0") ? "" : text.slice(0, FIELD_CHARS_MAX);
  };
}
