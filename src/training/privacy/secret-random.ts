import { createCipheriv, createHmac } from "node:crypto";
import { Draws } from "../seeded-random.ts";

/** The noise of one block of a model. */
const CHUNK = new Uint8Array(32_768);

/** A secret for some words that tells nothing of the one that it is made of. */
export const deriveKey = (secret: string, ...words: ReadonlyArray<string | number | null>): string =>
  createHmac("sha256", secret).update(JSON.stringify(words)).digest("hex");

/**
 * Random numbers that can be drawn again by whoever has the secret, and by nobody else: AES-256 in counter mode. Privacy rests on
 * it, because noise that others can draw is no noise.
 */
export class SecretRandom extends Draws {
  private readonly cipher: ReturnType<typeof createCipheriv>;
  private chunk: Buffer = Buffer.alloc(0);
  private at = 0;

  constructor(secret: string, ...words: ReadonlyArray<string | number>) {
    super();
    const key = Buffer.from(deriveKey(secret, ...words), "hex");
    this.cipher = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  }

  bits(): number {
    if (this.at === this.chunk.length) {
      this.chunk = this.cipher.update(CHUNK);
      this.at = 0;
    }
    const word = this.chunk.readUInt32LE(this.at);
    this.at += 4;
    return word;
  }
}
