import { type SoundFile, skipId3, type ToldLength, tagAt } from "./sound-file.ts";

const rates = (text: string): readonly number[] => text.split(" ").map(Number);
/** In kbit/s, by the layer, of version 1 and of the later ones. */
const KILOBITS: Readonly<Record<1 | 2 | 3, readonly [first: readonly number[], later: readonly number[]]>> = {
  1: [
    rates("0 32 64 96 128 160 192 224 256 288 320 352 384 416 448"),
    rates("0 32 48 56 64 80 96 112 128 144 160 176 192 224 256"),
  ],
  2: [
    rates("0 32 48 56 64 80 96 112 128 160 192 224 256 320 384"),
    rates("0 8 16 24 32 40 48 56 64 80 96 112 128 144 160"),
  ],
  3: [
    rates("0 32 40 48 56 64 80 96 112 128 160 192 224 256 320"),
    rates("0 8 16 24 32 40 48 56 64 80 96 112 128 144 160"),
  ],
};
const HERTZ = [44_100, 48_000, 32_000];
/** How far behind the tags the first frame is looked for, and how many places are looked at where nothing tells the length. */
const [WINDOW_BYTES, PLACES] = [8_192, 16];

interface Frame {
  readonly at: number;
  /** What all frames of a file have in common. */
  readonly kind: number;
  readonly layer: 1 | 2 | 3;
  readonly isFirstVersion: boolean;
  readonly isMono: boolean;
  readonly bytes: number;
  readonly samples: number;
  readonly rate: number;
}

/** By the count of frames in the first of them; where there is none, by frames in several places: most files have one bit rate. */
export async function mp3Length(file: SoundFile): Promise<ToldLength | null> {
  const start = await skipId3(file);
  const window = await file.slice(start, WINDOW_BYTES);
  const first = findFrame(window, null, start + window.length >= file.sizeBytes);
  if (!first) return null;
  const soundBytes = file.sizeBytes - start - first.at;
  const { layer, isFirstVersion, samples, rate } = first;
  const perSecondMax = (KILOBITS[layer][isFirstVersion ? 0 : 1].at(-1) ?? 0) * 125;
  const frames = countedFrames(window.subarray(first.at), first);
  if (frames !== null) return { seconds: (frames * samples) / rate, soundBytes, perSecondMax };
  const perFrame = await usualFrame(file, start + first.at, first);
  return { seconds: ((soundBytes / perFrame) * samples) / rate, soundBytes, perSecondMax };
}

/** What a frame has on average, in bytes; the first one says little of the others. */
async function usualFrame(file: SoundFile, start: number, first: Frame): Promise<number> {
  const step = Math.max(WINDOW_BYTES, Math.floor((file.sizeBytes - start) / PLACES));
  let [frames, bytes] = [0, 0];
  for (let at = start; at < file.sizeBytes; at += step) {
    const window = await file.slice(at, WINDOW_BYTES);
    let frame = findFrame(window, first.kind, false);
    for (; frame?.kind === first.kind; frame = frameAt(window, frame.at + frame.bytes)) {
      frames++;
      bytes += frame.bytes;
    }
  }
  return frames === 0 ? first.bytes : bytes / frames;
}

/** What looks like a frame is one where the next one follows it, or where it is all that there is. */
function findFrame(bytes: Buffer, kind: number | null, isEnd: boolean): Frame | null {
  for (let at = bytes.indexOf(0xff); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const frame = frameAt(bytes, at);
    if (!frame || (kind !== null && frame.kind !== kind)) continue;
    const next = at + frame.bytes;
    if (frameAt(bytes, next)?.kind === frame.kind || (isEnd && at === 0 && next + 4 > bytes.length)) return frame;
  }
  return null;
}

function frameAt(bytes: Buffer, at: number): Frame | null {
  if (at + 4 > bytes.length) return null;
  const head = bytes.readUInt32BE(at);
  const version = (head >>> 19) & 3;
  const layer = 4 - ((head >>> 17) & 3);
  const hertz = HERTZ[(head >>> 10) & 3];
  if (head >>> 21 !== 0x7ff || version === 1 || layer === 4 || hertz === undefined) return null;
  const isFirstVersion = version === 3;
  const kilobits = KILOBITS[layer as 1 | 2 | 3][isFirstVersion ? 0 : 1][(head >>> 12) & 15] ?? 0;
  if (kilobits === 0) return null;
  const rate = hertz / (isFirstVersion ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 1 ? 384 : layer === 3 && !isFirstVersion ? 576 : 1_152;
  const slot = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples * kilobits * 125) / rate / slot) + ((head >>> 9) & 1);
  const isMono = ((head >>> 6) & 3) === 3;
  // The version, the layer and the rate.
  const kind = head & 0x001e_0c00;
  return { at, kind, layer: layer as 1 | 2 | 3, isFirstVersion, isMono, bytes: slots * slot, samples, rate };
}

/** What writers of variable bit rates put into the first frame, in one of two forms. */
function countedFrames(frame: Buffer, { isFirstVersion, isMono }: Frame): number | null {
  const side = isFirstVersion ? (isMono ? 17 : 32) : isMono ? 9 : 17;
  const at = 4 + side;
  if (/^(Xing|Info)$/.test(tagAt(frame, at)) && frame.length >= at + 12) {
    return (frame.readUInt32BE(at + 4) & 1) === 1 ? frame.readUInt32BE(at + 8) || null : null;
  }
  return tagAt(frame, 36) === "VBRI" && frame.length >= 54 ? frame.readUInt32BE(50) || null : null;
}
