/**
 * Bytes as the runtime gives them are searched as they are: a Buffer over them would be two more objects for each chunk of a
 * stream. What is sought is bytes as well: of a text the runtime makes some each time.
 */
const { indexOf, lastIndexOf, compare, copy, toString: textOf } = Buffer.prototype;

export const indexOfBytes = (bytes: Uint8Array, sought: Uint8Array | number, from = 0): number =>
  indexOf.call(bytes as Buffer, sought, from);

export const lastIndexOfBytes = (bytes: Uint8Array, sought: Uint8Array, from = bytes.length): number =>
  lastIndexOf.call(bytes as Buffer, sought, from);

/** Whether `part` stands at a place. */
export function hasBytesAt(bytes: Uint8Array, part: Uint8Array, at: number): boolean {
  const end = at + part.length;
  return end <= bytes.length && compare.call(bytes as Buffer, part, 0, part.length, at, end) === 0;
}

/** A character for each byte, whatever the bytes mean: where many places are looked at, a text is quicker to ask. */
export const charsOf = (bytes: Uint8Array): string => textOf.call(bytes as Buffer, "latin1");

/** Copies what stands between two places, and tells where the copy ends. */
export const copyBytes = (bytes: Uint8Array, start: number, end: number, target: Uint8Array, at: number): number =>
  at + copy.call(bytes as Buffer, target, at, start, end);
