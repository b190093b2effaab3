/** Bytes as the runtime gives them are searched as they are: a Buffer over them would be two more objects for each chunk of a stream. */
const { indexOf, lastIndexOf, includes } = Buffer.prototype;

export const indexOfBytes = (bytes: Uint8Array, sought: string, from = 0): number =>
  indexOf.call(bytes as Buffer, sought, from);

export const lastIndexOfBytes = (bytes: Uint8Array, sought: string, from = bytes.length): number =>
  lastIndexOf.call(bytes as Buffer, sought, from);

export const includesByte = (bytes: Uint8Array, byte: number): boolean => includes.call(bytes as Buffer, byte);
