/** UUID version 7: sorts by time, so that rows written together lie together. */
export const newId = (): string => Bun.randomUUIDv7();

/** An id that says what it is of; ids of one kind sort by when they were made. */
export const newNamedId = (prefix: string): string => prefix + newId().replaceAll("-", "");

/** `length` characters of base62, each drawn without bias. */
export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 below 256: bytes above it would favour the first letters.
      if (byte < 248 && text.length < length) text += BASE62.charAt(byte % 62);
    }
  }
  return text;
}

export const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
