import { promisify } from "node:util";
import { inflate } from "node:zlib";
import { type Picture, SIGNATURE } from "./png.ts";

/** A picture with how much each place of it covers, from 0 to 255. */
export interface ReadPicture extends Picture {
  readonly alpha: Uint8Array;
}

/** Work on the event loop is bounded: a larger picture is not opened. */
const PIXELS_MAX = 2048 * 2048;
/** Bytes for each pixel, by the kind of PNG: grey, colours, grey and alpha, colours and alpha. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 4: 2, 6: 4 };
const inflateAsync = promisify(inflate);

/** The pixels of a PNG with 8 bits a channel; null of what is damaged, too large or of another kind. */
export async function findPixels(bytes: Buffer): Promise<ReadPicture | null> {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE) || bytes.length < 33) return null;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const [depth, kind, , , interlace] = bytes.subarray(24, 29);
  const channels = CHANNELS[kind ?? -1];
  if (channels === undefined || depth !== 8 || interlace !== 0) return null;
  if (width === 0 || height === 0 || width * height > PIXELS_MAX) return null;
  const size = height * (width * channels + 1);
  const rows = await inflateAsync(dataOf(bytes), { maxOutputLength: size }).catch(() => null);
  if (rows === null || rows.length !== size) return null;
  return spread(unfilter(rows, width * channels, height, channels), width, height, channels);
}

function dataOf(bytes: Buffer): Buffer {
  const found: Buffer[] = [];
  for (let at = SIGNATURE.length; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") found.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return Buffer.concat(found);
}

/** Each row was written as its difference to what lies left of it and above. */
function unfilter(rows: Buffer, rowBytes: number, height: number, channels: number): Uint8Array {
  const plain = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row++) {
    const filter = rows[row * (rowBytes + 1)];
    for (let at = 0; at < rowBytes; at++) {
      const to = row * rowBytes + at;
      const left = at >= channels ? (plain[to - channels] ?? 0) : 0;
      const above = row > 0 ? (plain[to - rowBytes] ?? 0) : 0;
      const corner = row > 0 && at >= channels ? (plain[to - rowBytes - channels] ?? 0) : 0;
      plain[to] = (rows[to + row + 1] ?? 0) + expected(filter, left, above, corner);
    }
  }
  return plain;
}

function expected(filter: number | undefined, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  return filter === 4 ? nearest(left, above, corner) : 0;
}

/** Paeth's: whichever of the three lies nearest to left and above less the corner. */
function nearest(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

function spread(plain: Uint8Array, width: number, height: number, channels: number): ReadPicture {
  const rgb = new Uint8Array(width * height * 3);
  const alpha = new Uint8Array(width * height).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const from = pixel * channels;
    for (let color = 0; color < 3; color++) rgb[pixel * 3 + color] = plain[channels < 3 ? from : from + color] ?? 0;
    if (channels % 2 === 0) alpha[pixel] = plain[from + channels - 1] ?? 255;
  }
  return { width, height, rgb, alpha };
}
