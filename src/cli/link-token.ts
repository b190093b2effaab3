import { usageError } from "./cli-error.ts";

/** The secret of a link, from the link as it was mailed or handed over, or from the secret alone. */
export function readLinkToken(text: string): string {
  const given = text.trim();
  const token = /^https?:/.test(given) ? URL.parse(given)?.searchParams.get("token") : given;
  if (token && /^[\w-]+$/.test(token)) return token;
  throw usageError(`"${given.slice(0, 60)}" is no link with a token, and no token.`, "Copy it whole, as it was sent.");
}
