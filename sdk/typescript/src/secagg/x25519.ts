import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from "node:crypto";

/** Bytes of a private key, a public key and of what two of them agree on (RFC 7748). */
export const KEY_BYTES = 32;

// What stands before the 32 bytes in the encodings that the runtime reads and writes.
const PRIVATE_HEAD = Buffer.from("302e020100300506032b656e04220420", "hex");
const PUBLIC_HEAD = Buffer.from("302a300506032b656e032100", "hex");

/** Keys as the runtime wants them. Node takes longer to read one than to use it, and each is used with everybody. */
const readKeys = new WeakMap<Uint8Array, KeyObject>();

function privateKey(bytes: Uint8Array): KeyObject {
  const known = readKeys.get(bytes);
  if (known !== undefined) return known;
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, bytes]), format: "der", type: "pkcs8" });
  readKeys.set(bytes, key);
  return key;
}

/** The public key that belongs to 32 secret bytes. */
export function publicOf(secret: Uint8Array): Uint8Array {
  const encoded = createPublicKey(privateKey(secret)).export({ format: "der", type: "spki" });
  return new Uint8Array(encoded.subarray(PUBLIC_HEAD.length));
}

/** What both sides get from their own secret and the other's public key; null for a key that is none. */
export function agree(secret: Uint8Array, other: Uint8Array): Uint8Array | null {
  try {
    const publicKey = createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, other]), format: "der", type: "spki" });
    const shared = diffieHellman({ privateKey: privateKey(secret), publicKey });
    return shared.some((byte) => byte !== 0) ? new Uint8Array(shared) : null;
  } catch {
    // Keys of low order give nothing, which the runtimes tell by an error.
    return null;
  }
}
