import { type SoundFile, tagAt } from "./sound-file.ts";

/** What programs write before the format, such as room for an index, mostly ends within. */
const HEAD_BYTES = 4_096;
/** Samples as they are, in whole numbers or not; what is packed says nothing by its size. */
const PLAIN_FORMATS: ReadonlySet<number> = new Set([1, 3, 0xfffe]);
const [RATE_MAX, CHANNELS_MAX, BITS_MAX] = [768_000, 32, 64];

/**
 * How long the sound of a WAV file is, in milliseconds, rounded up: by what its header says of a sample and by its size. What it
 * says of its length is not believed: programs that write as they record make it up. Null for anything else.
 */
export async function wavLength({ sizeBytes, slice }: SoundFile): Promise<number | null> {
  const head = await slice(0, HEAD_BYTES);
  if (tagAt(head, 0) !== "RIFF" || tagAt(head, 8) !== "WAVE") return null;
  for (let at = 12; at + 24 <= head.length; at += 8 + roundedUp(head.readUInt32LE(at + 4))) {
    if (tagAt(head, at) !== "fmt ") continue;
    const perSecond = bytesPerSecond(head.subarray(at + 8));
    return perSecond === null ? null : Math.ceil((sizeBytes * 1000) / perSecond);
  }
  return null;
}

function bytesPerSecond(format: Buffer): number | null {
  const [channels, rate, bits] = [format.readUInt16LE(2), format.readUInt32LE(4), format.readUInt16LE(14)];
  if (!PLAIN_FORMATS.has(format.readUInt16LE(0))) return null;
  if (channels > CHANNELS_MAX || rate > RATE_MAX || bits > BITS_MAX) return null;
  return channels * rate * Math.ceil(bits / 8) || null;
}

/** Parts begin at even places. */
const roundedUp = (size: number): number => size + (size % 2);
