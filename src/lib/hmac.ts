import { createHmac } from "node:crypto";

/**
 * HMAC-SHA-256. Not by `Bun.CryptoHasher` with a key, which takes half the time: it throws the error of any Web Crypto
 * call that failed earlier on the same thread, so that one malformed private key would refuse the next caller's key.
 */
export const hmacHex = (key: Uint8Array | string, text: string): string =>
  createHmac("sha256", key).update(text).digest("hex");

export const hmacBytes = (key: Uint8Array | string, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();
