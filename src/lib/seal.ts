import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const VERSION = "v1";
const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Makes text unreadable for who has the database but not the key: AES-256-GCM, written as `v1.` and base64url of nonce,
 * cipher text and tag. `use` says what the text is and whose, such as `totp:17`: sealed text that is moved to another row
 * does not open there.
 */
export function seal(key: Uint8Array, use: string, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, checked(key), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(aadOf(use));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${VERSION}.${sealed.toString("base64url")}`;
}

/** Throws `SealError` when it was sealed with another key or for another use, or was changed. */
export function unseal(key: Uint8Array, use: string, sealed: string): string {
  const [version, encoded = "", ...rest] = sealed.split(".");
  const bytes = Buffer.from(encoded, "base64url");
  if (version !== VERSION || rest.length > 0 || bytes.length < NONCE_BYTES + TAG_BYTES) throw new SealError();
  const decipher = createDecipheriv(CIPHER, checked(key), bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(aadOf(use));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    return text.toString("utf8");
  } catch {
    throw new SealError();
  }
}

/** Tells nothing of what was sealed. */
export class SealError extends Error {
  override readonly name = "SealError";

  constructor() {
    super("sealed text does not open: another key, another use, or it was changed");
  }
}

const aadOf = (use: string): Buffer => Buffer.from(`${VERSION}:${use}`, "utf8");

function checked(key: Uint8Array): Uint8Array {
  if (key.length !== KEY_BYTES) throw new Error(`a sealing key has ${KEY_BYTES} bytes`);
  return key;
}
