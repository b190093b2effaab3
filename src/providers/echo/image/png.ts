import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";

/** A picture as rows of red, green and blue bytes. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const deflateAsync = promisify(deflate);

/** PNG with 8 bits a channel. The compression runs off the main thread, so that other calls go on meanwhile. */
export async function encodePng(picture: Picture): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(picture.width, 0);
  header.writeUInt32BE(picture.height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = await deflateAsync(filterRows(picture), { level: 4 });
  return Buffer.concat([SIGNATURE, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** Each row as its difference to the row above (filter 2): drawn pictures change little from row to row. */
function filterRows({ width, height, rgb }: Picture): Buffer {
  const rowBytes = width * 3;
  const filtered = Buffer.alloc(height * (rowBytes + 1));
  for (let row = 0; row < height; row++) {
    const from = row * rowBytes;
    const to = row * (rowBytes + 1);
    filtered[to] = 2;
    for (let at = 0; at < rowBytes; at++) {
      const above = row === 0 ? 0 : (rgb[from - rowBytes + at] ?? 0);
      filtered[to + 1 + at] = (rgb[from + at] ?? 0) - above;
    }
  }
  return filtered;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, "latin1");
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
