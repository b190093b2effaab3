import { type SoundFile, skipId3, type ToldLength, tagAt } from "./sound-file.ts";

/** Two channels of 24 bits at 192 kHz. */
const PER_SECOND_MAX = 1_152_000;
const [BLOCK_HEAD_BYTES, STREAM_INFO_BYTES] = [4, 34];
const BLOCKS_MAX = 128;

/** By its first block, which has the number of samples and their rate. */
export async function flacLength(file: SoundFile): Promise<ToldLength | null> {
  const start = await skipId3(file);
  const head = await file.slice(start, 4 + BLOCK_HEAD_BYTES + STREAM_INFO_BYTES);
  if (tagAt(head, 0) !== "fLaC" || head.length < 4 + BLOCK_HEAD_BYTES + STREAM_INFO_BYTES) return null;
  if (((head[4] ?? 0) & 0x7f) !== 0) return null;
  return streamInfo(head.subarray(8), file.sizeBytes - (await soundStart(file, start + 4)));
}

/** Of a block STREAMINFO; also where it stands in another kind of file. */
export function streamInfo(info: Buffer, soundBytes: number): ToldLength | null {
  if (info.length < STREAM_INFO_BYTES) return null;
  const packed = info.readBigUInt64BE(10);
  const rate = Number(packed >> 44n);
  const channels = Number((packed >> 41n) & 7n) + 1;
  const bits = Number((packed >> 36n) & 31n) + 1;
  const samples = Number(packed & 0xf_ffff_ffffn);
  if (rate === 0 || samples === 0) return null;
  const perSecondMax = Math.min(PER_SECOND_MAX, Math.ceil((rate * channels * bits) / 8));
  return { seconds: samples / rate, soundBytes, perSecondMax };
}

/** Behind all blocks: one of them may be a picture of megabytes. */
async function soundStart(file: SoundFile, firstBlock: number): Promise<number> {
  let at = firstBlock;
  for (let blocks = 0; blocks < BLOCKS_MAX; blocks++) {
    const head = await file.slice(at, BLOCK_HEAD_BYTES);
    if (head.length < BLOCK_HEAD_BYTES) return 0;
    at += BLOCK_HEAD_BYTES + head.readUIntBE(1, 3);
    if (head.readUInt8(0) >= 0x80) return Math.min(at, file.sizeBytes);
  }
  return 0;
}
