import { FILMED_PER_SECOND_MAX, PACKED_PER_SECOND_MAX, type SoundFile, type ToldLength } from "./sound-file.ts";

const [HEADER, SEGMENT, CLUSTER] = [0x1a45dfa3, 0x18538067, 0x1f43b675];
const [INFO, SCALE, DURATION] = [0x1549a966, 0x2ad7b1, 0x4489];
const [TRACKS, TRACK, TRACK_TYPE] = [0x1654ae6b, 0xae, 0x83];
const FILM = 1;
const NANOSECONDS = 1e9;
/** One millisecond, unless it is said otherwise. */
const USUAL_SCALE = 1_000_000;
const BODY_BYTES_MAX = 65_536;

interface Element {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** By what stands before the sound itself; who writes as it records cannot say it there, and then nothing is known. */
export async function webmLength(file: SoundFile): Promise<ToldLength | null> {
  const header = await elementAt(file, 0);
  if (header?.id !== HEADER) return null;
  const whole = await elementAt(file, header.end);
  if (whole?.id !== SEGMENT) return null;
  let seconds = 0;
  let isFilm = false;
  for (let at = whole.start; at < whole.end; ) {
    const element = await elementAt(file, at);
    if (!element || element.id === CLUSTER) break;
    const body = () => file.slice(element.start, Math.min(BODY_BYTES_MAX, element.end - element.start));
    if (element.id === INFO) seconds = secondsIn(await body());
    if (element.id === TRACKS) isFilm = hasFilm(await body());
    at = element.end;
  }
  if (!(seconds > 0)) return null;
  const perSecondMax = isFilm ? FILMED_PER_SECOND_MAX : PACKED_PER_SECOND_MAX;
  return { seconds, soundBytes: file.sizeBytes, perSecondMax };
}

function secondsIn(info: Buffer): number {
  let [scale, duration] = [USUAL_SCALE, 0];
  for (const { id, start, end } of elementsOf(info)) {
    const length = end - start;
    if (id === SCALE) scale = numberIn(info.subarray(start, end));
    if (id === DURATION && length === 4) duration = info.readFloatBE(start);
    if (id === DURATION && length === 8) duration = info.readDoubleBE(start);
  }
  return (duration * scale) / NANOSECONDS;
}

function hasFilm(tracks: Buffer): boolean {
  for (const track of elementsOf(tracks)) {
    if (track.id !== TRACK) continue;
    const body = tracks.subarray(track.start, track.end);
    for (const { id, start, end } of elementsOf(body)) {
      if (id === TRACK_TYPE && numberIn(body.subarray(start, end)) === FILM) return true;
    }
  }
  return false;
}

const numberIn = (bytes: Buffer): number => bytes.reduce((sum, byte) => sum * 256 + byte, 0);

function* elementsOf(bytes: Buffer): Generator<Element> {
  for (let at = 0; at < bytes.length; ) {
    const element = readElement(bytes.subarray(at, at + HEAD_BYTES), at, bytes.length);
    if (!element) return;
    yield element;
    at = element.end;
  }
}

/** A name of up to four bytes and a size of up to eight. */
const HEAD_BYTES = 12;

const elementAt = async (file: SoundFile, at: number): Promise<Element | null> =>
  readElement(await file.slice(at, HEAD_BYTES), at, file.sizeBytes);

/** The leading zeros of either number's first byte say how many bytes follow it. */
function readElement(head: Buffer, at: number, end: number): Element | null {
  const idBytes = Math.clz32(head[0] ?? 0) - 23;
  if (idBytes > 4 || head.length <= idBytes) return null;
  const sizeBytes = Math.clz32(head[idBytes] ?? 0) - 23;
  if (sizeBytes > 8 || head.length < idBytes + sizeBytes) return null;
  const id = numberIn(head.subarray(0, idBytes));
  // Without the bit that ends the zeros, and before anything is added to it: together they are no exact number.
  const first = (head[idBytes] ?? 0) & (0xff >> sizeBytes);
  const size = numberIn(Buffer.from([first, ...head.subarray(idBytes + 1, idBytes + sizeBytes)]));
  const start = at + idBytes + sizeBytes;
  // All ones: it goes on to the end.
  const isOpen = size >= 2 ** (7 * sizeBytes) - 1;
  return { id, start, end: isOpen ? end : Math.min(start + size, end) };
}
