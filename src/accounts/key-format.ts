import { createHash } from "node:crypto";
import { TOKEN_PREFIX } from "../contract/management-tokens.ts";
import { BASE62, randomBase62 } from "../lib/ids.ts";

/**
 * `sk-`, 43 characters of base62 (256 bits), and a checksum of six: a mistyped key is known without a look-up, and
 * secret scanners can tell a real one. Keys that were imported from elsewhere have other lengths and no checksum.
 */
const SECRET_CHARS = 43;
const CHECKSUM_CHARS = 6;
const PREFIX = "sk-";
const TOKEN = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${SECRET_CHARS + CHECKSUM_CHARS}}$`);

export const newKey = (): string => newSecret(PREFIX);

/** A management token has the same form behind a prefix of its own. */
export const newToken = (): string => newSecret(TOKEN_PREFIX);

function newSecret(prefix: string): string {
  const body = prefix + randomBase62(SECRET_CHARS);
  return body + checksum(body);
}

/** False only for a key of our own length whose checksum is wrong. */
export function isPlausibleKey(key: string): boolean {
  if (!key.startsWith(PREFIX)) return false;
  if (key.length !== PREFIX.length + SECRET_CHARS + CHECKSUM_CHARS || !/^sk-[0-9A-Za-z]+$/.test(key)) return true;
  return checksum(key.slice(0, -CHECKSUM_CHARS)) === key.slice(-CHECKSUM_CHARS);
}

/** Unlike keys, tokens come from nowhere else: all have our length. */
export const isPlausibleToken = (token: string): boolean =>
  TOKEN.test(token) && checksum(token.slice(0, -CHECKSUM_CHARS)) === token.slice(-CHECKSUM_CHARS);

function checksum(text: string): string {
  let value = Bun.hash.crc32(text);
  let digits = "";
  for (let index = 0; index < CHECKSUM_CHARS; index++) {
    digits = BASE62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

export const lastFour = (key: string): string => key.slice(-4);

/** By this a key is named once it can no longer be shown. It opens nothing: nobody can get from it to the key. */
export const handleOf = (key: string): string => createHash("sha256").update(key).digest("hex");

/** Whether a text is meant to be a key itself, rather than the name of one. */
export const looksLikeKey = (text: string): boolean => text.startsWith(PREFIX);
