import { FILMED_PER_SECOND_MAX, type SoundFile, type ToldLength, tagAt } from "./sound-file.ts";

/** Two channels as they are, 16 bits at 48 kHz: what is packed without loss has less. */
const PER_SECOND_MAX = 192_000;
/** What such a file begins with. */
const BEGINNINGS: ReadonlySet<string> = new Set(["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"]);
const TIMES_BYTES = 36;

interface Box {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

interface Told {
  seconds: number;
  isFilm: boolean;
  /** Most of it comes later, in pieces that the beginning does not count. */
  isInPieces: boolean;
  /** How many units of its times make a second. */
  scale: number;
  /** What the pieces come to, where it is told. */
  pieces: number;
}

/** By the times in its index, which may stand behind everything else. */
export async function mp4Length(file: SoundFile): Promise<ToldLength | null> {
  if (!BEGINNINGS.has(tagAt(await file.slice(4, 4), 0))) return null;
  for await (const box of boxesIn(file, 0, file.sizeBytes)) {
    if (box.type !== "moov") continue;
    const told: Told = { seconds: 0, isFilm: false, isInPieces: false, scale: 0, pieces: 0 };
    await readIndex(file, box, told);
    const pieces = told.scale > 0 ? told.pieces / told.scale : 0;
    if (told.isInPieces && pieces === 0) return null;
    const perSecondMax = told.isFilm ? FILMED_PER_SECOND_MAX : PER_SECOND_MAX;
    return { seconds: Math.max(told.seconds, pieces), soundBytes: file.sizeBytes, perSecondMax };
  }
  return null;
}

/** Of all times the longest: one of the whole is there, and one of each track. */
async function readIndex(file: SoundFile, { start, end }: Box, told: Told): Promise<void> {
  for await (const box of boxesIn(file, start, end)) {
    const body = Math.min(TIMES_BYTES, box.end - box.start);
    switch (box.type) {
      case "trak":
      case "mdia":
        await readIndex(file, box, told);
        break;
      case "mvex":
        told.isInPieces = true;
        await readIndex(file, box, told);
        break;
      case "mvhd":
      case "mdhd": {
        const { scale, duration } = timesIn(await file.slice(box.start, body));
        if (scale > 0) told.seconds = Math.max(told.seconds, duration / scale);
        if (box.type === "mvhd") told.scale = scale;
        break;
      }
      case "mehd":
        told.pieces = longAt(await file.slice(box.start, body), 4);
        break;
      case "hdlr":
        told.isFilm ||= tagAt(await file.slice(box.start, body), 8) === "vide";
        break;
    }
  }
}

/** Behind two times of day, which are as long as the duration. */
function timesIn(body: Buffer): { scale: number; duration: number } {
  const at = body[0] === 1 ? 20 : 12;
  if (body.length < at + 4) return { scale: 0, duration: 0 };
  return { scale: body.readUInt32BE(at), duration: longAt(body, at + 4) };
}

/** A number of eight bytes in the second version of a box, else of four; all ones stand for none. */
function longAt(body: Buffer, at: number): number {
  const isLong = body[0] === 1;
  if (body.length < at + (isLong ? 8 : 4)) return 0;
  const value = isLong ? body.readBigUInt64BE(at) : BigInt(body.readUInt32BE(at));
  return value === (isLong ? 0xffff_ffff_ffff_ffffn : 0xffff_ffffn) ? 0 : Number(value);
}

async function* boxesIn(file: SoundFile, from: number, to: number): AsyncGenerator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const head = await file.slice(at, 16);
    if (head.length < 8) return;
    const short = head.readUInt32BE(0);
    const headBytes = short === 1 ? 16 : 8;
    if (head.length < headBytes) return;
    const size = short === 0 ? to - at : short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    if (size < headBytes) return;
    yield { type: tagAt(head, 4), start: at + headBytes, end: Math.min(at + size, to) };
    at += size;
  }
}
