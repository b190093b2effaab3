import { expect, test } from "bun:test";
import { wavLength } from "./wav-length.ts";

const part = (tag: string, body: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from(tag), size, body, Buffer.alloc(body.length % 2)]);
};
const format = (kind: number, channels: number, rate: number, bits: number): Buffer => {
  const body = Buffer.alloc(16);
  body.writeUInt16LE(kind, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(rate, 4);
  // What it says of bytes a second is not looked at.
  body.writeUInt32LE(1, 8);
  body.writeUInt16LE(bits, 14);
  return part("fmt ", body);
};
const wav = (...parts: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from("RIFF\xff\xff\xff\x7fWAVE", "latin1"), ...parts]);
const length = (bytes: Buffer, sizeBytes = bytes.length) =>
  wavLength({ sizeBytes, slice: async (start, count) => bytes.subarray(start, start + count) });

test.each([
  ["16 bits, one channel", format(1, 1, 24_000, 16), 48_000],
  ["two channels", format(1, 2, 44_100, 16), 176_400],
  ["24 bits", format(1, 1, 8_000, 24), 24_000],
  ["not whole numbers", format(3, 1, 16_000, 32), 64_000],
  ["another part before it, of odd size", Buffer.concat([part("JUNK", Buffer.alloc(27)), format(1, 1, 100, 8)]), 100],
])("%s", async (_, parts, perSecond) => {
  expect(await length(wav(parts), perSecond * 90)).toBe(90_000);
  expect(await length(wav(parts), perSecond * 90 + 1)).toBe(90_000 + Math.ceil(1000 / perSecond));
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["another file", Buffer.from("ID3 not a sound of this kind, whatever it is called")],
  ["a header that is cut off", wav(format(1, 1, 24_000, 16)).subarray(0, 30)],
  ["no format", wav(part("data", Buffer.alloc(100)))],
  ["packed samples", wav(format(0x55, 1, 24_000, 16))],
  ["no channel", wav(format(1, 0, 24_000, 16))],
  ["more samples than anybody records", wav(format(1, 1, 4_000_000_000, 16))],
])("%s says nothing", async (_, bytes) => {
  expect(await length(bytes)).toBeNull();
});
