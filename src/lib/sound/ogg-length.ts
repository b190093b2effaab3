import { streamInfo } from "./flac-length.ts";
import { PACKED_PER_SECOND_MAX, type SoundFile, type ToldLength, tagAt } from "./sound-file.ts";

const PAGE_HEAD_BYTES = 27;
/** No page is longer. */
const PAGE_BYTES_MAX = 65_307;
const HEAD_BYTES = 4_096;
/** Pages that begin a stream come before all others, one for each. */
const STREAMS_MAX = 8;
/** Of a page on which no packet ends. */
const NO_PLACE = 0xffff_ffff_ffff_ffffn;

interface Codec {
  /** The stream that it is told of. */
  readonly serial: number;
  readonly rate: number;
  /** Samples at the beginning that are not heard. */
  readonly skipped: number;
  readonly perSecondMax: number;
}

/** By the place in the sound that the last page of its stream names. */
export async function oggLength(file: SoundFile): Promise<ToldLength | null> {
  const codec = findCodec(await file.slice(0, HEAD_BYTES));
  if (!codec) return null;
  const tail = await file.slice(Math.max(0, file.sizeBytes - PAGE_BYTES_MAX), PAGE_BYTES_MAX);
  const place = lastPlace(tail, codec.serial);
  if (place === null) return null;
  const { rate, skipped, perSecondMax } = codec;
  return { seconds: (place - skipped) / rate, soundBytes: file.sizeBytes, perSecondMax };
}

function findCodec(head: Buffer): Codec | null {
  let at = 0;
  for (let streams = 0; streams < STREAMS_MAX && isPage(head, at); streams++) {
    const segments = head.readUInt8(at + 26);
    const begin = at + PAGE_HEAD_BYTES + segments;
    const length = head.subarray(at + PAGE_HEAD_BYTES, begin).reduce((sum, size) => sum + size, 0);
    const found = codecOf(head.subarray(begin, begin + length), head.readUInt32LE(at + 14));
    if (found) return found.rate > 0 ? found : null;
    at = begin + length;
  }
  return null;
}

function codecOf(packet: Buffer, serial: number): Codec | null {
  const perSecondMax = PACKED_PER_SECOND_MAX;
  if (tagAt(packet, 0, 8) === "OpusHead" && packet.length >= 12)
    return { serial, rate: 48_000, skipped: packet.readUInt16LE(10), perSecondMax };
  if (tagAt(packet, 0, 7) === "\x01vorbis" && packet.length >= 16)
    return { serial, rate: packet.readUInt32LE(12), skipped: 0, perSecondMax };
  if (tagAt(packet, 0, 8) === "Speex   " && packet.length >= 40)
    return { serial, rate: packet.readUInt32LE(36), skipped: 0, perSecondMax };
  if (tagAt(packet, 0, 5) === "\x7fFLAC" && packet.length >= 51) return flacInside(packet.subarray(17), serial);
  return null;
}

/** The first block has the rate; how many samples there are is not known to who writes as it records. */
function flacInside(info: Buffer, serial: number): Codec {
  const rate = info.readUIntBE(10, 3) >> 4;
  const perSecondMax = streamInfo(info, 0)?.perSecondMax ?? PACKED_PER_SECOND_MAX;
  return { serial, rate, skipped: 0, perSecondMax };
}

function lastPlace(tail: Buffer, serial: number): number | null {
  for (let at = tail.lastIndexOf("OggS"); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf("OggS", at - 1)) {
    if (!isPage(tail, at) || tail.readUInt32LE(at + 14) !== serial) continue;
    const place = tail.readBigUInt64LE(at + 6);
    if (place !== NO_PLACE) return Number(place);
  }
  return null;
}

const isPage = (bytes: Buffer, at: number): boolean =>
  at + PAGE_HEAD_BYTES <= bytes.length && tagAt(bytes, at) === "OggS" && bytes[at + 4] === 0;
