import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../../test/property-runs.ts";
import { loadSoundLength } from "./load-sound-length.ts";
import { box, countedMp3, flac, id3, mp3, mp4, noise, ogg, webm } from "./test-sounds.ts";

/** A file that counts what is read of it. */
function fileOf(bytes: Buffer) {
  const file = {
    sizeBytes: bytes.length,
    reads: 0,
    readBytes: 0,
    slice: async (start: number, length: number) => {
      const piece = length > 0 ? bytes.subarray(start, start + length) : Buffer.alloc(0);
      file.reads++;
      file.readBytes += piece.length;
      return piece;
    },
    read: () => new Blob([new Uint8Array(bytes.subarray(0, 4_096))]).stream(),
  };
  return file;
}

const lengthOf = (bytes: Buffer) => loadSoundLength(fileOf(bytes));

/** 1,152 samples at 44.1 kHz. */
const FRAME_MS = (1_152 / 44_100) * 1000;

const SOUNDS: readonly [name: string, bytes: Buffer, ms: number][] = [
  ["flac", flac({ samples: 441_000, soundBytes: 500_000 }), 10_000],
  [
    "flac behind tags and a picture",
    Buffer.concat([id3(3_000), flac({ samples: 441_000, soundBytes: 500_000, pictureBytes: 9_000_000 })]),
    10_000,
  ],
  ["opus", ogg("opus", 48_000 * 10 + 312, 40_000), 10_000],
  ["opus of many pages", ogg("opus", 48_000 * 60 + 312, 400_000), 60_000],
  ["vorbis", ogg("vorbis", 220_500, 40_000), 5_000],
  ["vorbis at another rate", ogg("vorbis", 80_000, 40_000, 16_000), 5_000],
  ["mp3 of one bit rate", mp3(400), 400 * FRAME_MS],
  ["mp3 behind tags", Buffer.concat([id3(300_000), mp3(400, 320)]), 400 * FRAME_MS],
  ["mp3 of one frame", mp3(1), FRAME_MS],
  ["mp3 that counts its frames", countedMp3("Xing", 400, mp3(400, 64)), 400 * FRAME_MS],
  ["mp3 that counts its frames in another way", countedMp3("VBRI", 400, mp3(400, 64)), 400 * FRAME_MS],
  ["m4a", mp4({ ms: 12_345, soundBytes: 100_000 }), 12_345],
  ["m4a with its index at the end", mp4({ ms: 12_345, soundBytes: 100_000, shape: "index last" }), 12_345],
  ["m4a with long numbers", mp4({ ms: 12_345, soundBytes: 100_000, shape: "long numbers" }), 12_345],
  ["m4a whose track is longer than its whole", mp4({ ms: 12_345, soundBytes: 100_000, shape: "short whole" }), 12_345],
  ["m4a in pieces that are counted", mp4({ ms: 12_345, soundBytes: 100_000, shape: "counted pieces" }), 12_345],
  ["mp4 with pictures", mp4({ ms: 12_345, soundBytes: 30_000_000, shape: "film" }), 12_345],
  ["webm", webm({ ms: 7_500, soundBytes: 60_000 }), 7_500],
  ["webm with pictures", webm({ ms: 7_500, soundBytes: 20_000_000, isFilm: true }), 7_500],
];

describe("the length of a sound", () => {
  test.each(SOUNDS)("is what its file says: %s", async (_, bytes, ms) => {
    const file = fileOf(bytes);
    const found = (await loadSoundLength(file)) ?? 0;
    // A frame more or less, since the size of frames is rounded.
    expect(Math.abs(found - ms)).toBeLessThan(FRAME_MS + 0.003 * ms);
    expect(file.reads).toBeLessThan(60);
    expect(file.readBytes).toBeLessThan(400_000);
  });

  test("of an mp3 of several bit rates that does not count its frames is what they are on average", async () => {
    const bytes = Buffer.concat([mp3(1, 320), mp3(4_000, 32)]);
    const found = (await lengthOf(bytes)) ?? 0;
    expect(found / (4_001 * FRAME_MS)).toBeWithin(0.95, 1.05);
  });

  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["text", Buffer.from("not heard by anybody".repeat(1_000))],
    ["zeros", Buffer.alloc(100_000)],
    ["ones", Buffer.alloc(100_000, 0xff)],
    ["flac that does not know it", flac({ samples: 0, soundBytes: 50_000 })],
    ["flac without a rate", flac({ samples: 1_000, rate: 0, soundBytes: 50_000 })],
    ["flac of a year", flac({ samples: 2 ** 36 - 1, rate: 8_000, soundBytes: 50_000 })],
    ["vorbis without a rate", ogg("vorbis", 1_000, 5_000, 0)],
    ["m4a without a length", mp4({ ms: 0, soundBytes: 5_000 })],
    ["m4a in pieces that nobody counted", mp4({ ms: 9_000, soundBytes: 50_000, shape: "pieces" })],
    ["webm of who writes as it records", webm({ ms: null, soundBytes: 50_000 })],
    ["webm that says what is no number", webm({ ms: Number.NaN, soundBytes: 50_000 })],
    ["webm without end", webm({ ms: Number.POSITIVE_INFINITY, soundBytes: 50_000 })],
    ["webm that is over before it begins", webm({ ms: -5, soundBytes: 50_000 })],
  ])("is not known of %s", async (_, bytes) => {
    expect(await lengthOf(bytes)).toBeNull();
  });

  test.each<[string, Buffer, number]>([
    ["flac", flac({ samples: 441, soundBytes: 1_764_000 }), 10_000],
    ["flac at a rate that nothing has", flac({ samples: 441, rate: 1_048_575, soundBytes: 11_520_000 }), 10_000],
    ["opus", ogg("opus", 400, 640_000), 10_000],
    ["mp3", countedMp3("Xing", 1, mp3(1_000, 32)), 2_600],
    ["m4a", mp4({ ms: 1, soundBytes: 1_920_000 }), 10_000],
    ["mp4", mp4({ ms: 1, soundBytes: 12_500_000, shape: "film" }), 2_000],
    ["webm", webm({ ms: 1, soundBytes: 640_000 }), 10_000],
  ])("is never less than its size has room for: %s", async (_, bytes, least) => {
    const found = (await lengthOf(bytes)) ?? 0;
    expect(found / least).toBeWithin(0.99, 1.05);
  });

  test.each<[string, Buffer]>([
    [
      "boxes in boxes",
      Array.from({ length: 5_000 }).reduce<Buffer>(
        (inside) => (inside.length > 60_000 ? inside : box("trak", inside)),
        Buffer.alloc(8),
      ),
    ],
    ["boxes of nothing", Buffer.concat([box("ftyp"), ...Array.from({ length: 20_000 }, () => box("free"))])],
    ["tags of nothing", Buffer.concat(Array.from({ length: 20_000 }, () => id3(0)))],
    ["pages of nothing", Buffer.concat([ogg("opus", 0, 0).subarray(0, 47), Buffer.from("OggS".repeat(20_000))])],
    [
      "boxes that say they are huge",
      Buffer.concat([Buffer.from("00000001667479706fffffffffffffff", "hex"), noise(100)]),
    ],
  ])("is looked for in few places, whatever the file makes of it: %s", async (_, bytes) => {
    const file = fileOf(Buffer.concat([bytes]));
    await loadSoundLength(file);
    expect(file.reads).toBeLessThan(2_500);
    expect(file.readBytes).toBeLessThan(400_000);
  });

  const small = [
    flac({ samples: 44_100, soundBytes: 300, pictureBytes: 20 }),
    ogg("opus", 48_000, 300),
    ogg("vorbis", 48_000, 300),
    countedMp3("Xing", 3, mp3(3)),
    countedMp3("VBRI", 3, mp3(3)),
    Buffer.concat([id3(20), mp3(3)]),
    mp4({ ms: 900, soundBytes: 300, shape: "index last" }),
    mp4({ ms: 900, soundBytes: 300, shape: "long numbers" }),
    mp4({ ms: 900, soundBytes: 300, shape: "counted pieces" }),
    webm({ ms: 900, soundBytes: 300, isFilm: true }),
  ];

  const isLength = (found: number | null) => found === null || (Number.isInteger(found) && found > 0 && found <= 1e9);

  test("of a file that is cut off anywhere is a length or unknown", async () => {
    for (const bytes of small) {
      for (let end = 0; end < bytes.length; end++) expect(isLength(await lengthOf(bytes.subarray(0, end)))).toBe(true);
    }
  });

  test("of a file with any bytes changed is a length or unknown", async () => {
    const change = fc.record({ at: fc.nat(5_000), bytes: fc.uint8Array({ minLength: 1, maxLength: 16 }) });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...small), fc.array(change, { maxLength: 6 }), async (sound, changes) => {
        const bytes = Buffer.from(sound);
        for (const { at, bytes: put } of changes)
          bytes.set(put.subarray(0, bytes.length - (at % bytes.length)), at % bytes.length);
        expect(isLength(await lengthOf(bytes))).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  test("of random bytes behind any beginning is a length or unknown", async () => {
    const beginnings = small.map((bytes) => bytes.subarray(0, 12));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 3_000 }), async (begin, rest) => {
        expect(isLength(await lengthOf(Buffer.concat([begin, rest])))).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });
});
