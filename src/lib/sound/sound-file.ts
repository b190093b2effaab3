/** A file of which pieces are read: it may be large, and lies on the disk then. */
export interface SoundFile {
  readonly sizeBytes: number;
  /** So many bytes from a place on; fewer where the file ends before. */
  slice(start: number, bytes: number): Promise<Buffer>;
}

/** What a file says of its length. */
export interface ToldLength {
  readonly seconds: number;
  /** What is sound of it, or may be. */
  readonly soundBytes: number;
  /** Hardly any file of its kind has more for a second. */
  readonly perSecondMax: number;
}

/** Ends a walk that goes on for too long: from then on nothing is read. */
export function limitReads({ sizeBytes, slice }: SoundFile, readsMax: number): SoundFile {
  let left = readsMax;
  return {
    sizeBytes,
    slice: async (start, bytes) => (left-- > 0 ? slice(start, bytes) : Buffer.alloc(0)),
  };
}

/** Sound alone, as opus, vorbis and AAC pack it: 512 kbit/s. */
export const PACKED_PER_SECOND_MAX = 64_000;
/** With pictures that move: 50 Mbit/s, as a good camera records them. */
export const FILMED_PER_SECOND_MAX = 6_250_000;

export const tagAt = (bytes: Buffer, at: number, length = 4): string => bytes.toString("latin1", at, at + length);

/** Where the sound begins behind the tags that programs for music write in front of it. */
export async function skipId3(file: SoundFile): Promise<number> {
  let at = 0;
  for (;;) {
    const head = await file.slice(at, ID3_HEAD_BYTES);
    if (head.length < ID3_HEAD_BYTES || tagAt(head, 0, 3) !== "ID3") return at;
    const size = head.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
    const hasFoot = ((head[5] ?? 0) & 0x10) !== 0;
    at += ID3_HEAD_BYTES + size + (hasFoot ? ID3_HEAD_BYTES : 0);
  }
}

const ID3_HEAD_BYTES = 10;
