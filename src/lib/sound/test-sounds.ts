/** Files of sound that say how long they are; what is heard in them is noise or nothing. */

const u16 = (value: number): Buffer => numbers(2, (bytes) => bytes.writeUInt16BE(value));
const u32 = (value: number): Buffer => numbers(4, (bytes) => bytes.writeUInt32BE(value));
const u64 = (value: bigint): Buffer => numbers(8, (bytes) => bytes.writeBigUInt64BE(value));

function numbers(length: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(length);
  write(bytes);
  return bytes;
}

export const noise = (bytes: number): Buffer => Buffer.alloc(bytes, 0x55);

export function id3(bytes: number): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f);
  return Buffer.concat([Buffer.from("ID3\x04\0\0"), Buffer.from(size), noise(bytes)]);
}

interface Flac {
  readonly samples: number;
  readonly rate?: number;
  readonly soundBytes: number;
  readonly pictureBytes?: number;
}

export function flac({ samples, rate = 44_100, soundBytes, pictureBytes = 0 }: Flac): Buffer {
  const packed = (BigInt(rate) << 44n) | (1n << 41n) | (15n << 36n) | BigInt(samples);
  const info = Buffer.concat([u16(4096), u16(4096), Buffer.alloc(6), u64(packed), Buffer.alloc(16)]);
  const picture = [Buffer.from([0x86]), u32(pictureBytes).subarray(1), noise(pictureBytes)];
  return Buffer.concat([Buffer.from("fLaC"), Buffer.from([0, 0, 0, 34]), info, ...picture, noise(soundBytes)]);
}

function oggPage(serial: number, place: bigint, body: Buffer, isFirst = false): Buffer {
  const head = Buffer.alloc(27);
  head.write("OggS", 0, "latin1");
  head[5] = isFirst ? 2 : 0;
  head.writeBigUInt64LE(place, 6);
  head.writeUInt32LE(serial, 14);
  const segments = Buffer.alloc(Math.floor(body.length / 255) + 1, 255);
  segments[segments.length - 1] = body.length % 255;
  head[26] = segments.length;
  return Buffer.concat([head, segments, body]);
}

const CODECS = {
  opus: (_rate: number) =>
    Buffer.concat([Buffer.from("OpusHead\x01\x01", "latin1"), Buffer.from([0x38, 0x01]), Buffer.alloc(7)]),
  vorbis: (rate: number) => {
    const head = Buffer.alloc(30);
    head.write("\x01vorbis", 0, "latin1");
    head.writeUInt32LE(rate, 12);
    return head;
  },
};

/** The last page is a page of another stream, as it is where pictures come along. */
export function ogg(codec: keyof typeof CODECS, samples: number, soundBytes: number, rate = 44_100): Buffer {
  const pages = Array.from({ length: Math.ceil(soundBytes / 60_000) }, (_, at) =>
    oggPage(7, BigInt(at + 1), noise(Math.min(60_000, soundBytes - at * 60_000))),
  );
  const other = oggPage(9, 123_456_789n, noise(10));
  const end = oggPage(7, BigInt(samples), noise(20));
  return Buffer.concat([
    oggPage(7, 0n, CODECS[codec](rate), true),
    ...pages,
    end,
    oggPage(7, 2n ** 64n - 1n, noise(20)),
    other,
  ]);
}

/** Version 1, layer III, 44.1 kHz, stereo. */
const KILOBITS = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];

function mp3Frame(kilobits: number, inside: Buffer = Buffer.alloc(0), insideAt = 0): Buffer {
  const bytes = Math.floor((144_000 * kilobits) / 44_100);
  const frame = noise(bytes);
  frame.writeUInt32BE((0xfffb_0000 | (KILOBITS.indexOf(kilobits) << 12)) >>> 0, 0);
  inside.copy(frame, insideAt);
  return frame;
}

export const mp3 = (frames: number, kilobits = 128): Buffer =>
  Buffer.concat(Array.from({ length: frames }, () => mp3Frame(kilobits)));

/** With a first frame that counts the others. */
export const countedMp3 = (form: "Xing" | "VBRI", frames: number, others: Buffer): Buffer =>
  Buffer.concat([
    form === "Xing"
      ? mp3Frame(128, Buffer.concat([Buffer.from("Xing"), u32(1), u32(frames)]), 36)
      : mp3Frame(128, Buffer.concat([Buffer.from("VBRI"), Buffer.alloc(10), u32(frames)]), 36),
    others,
  ]);

export const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), Buffer.from(type, "latin1"), body]);
};

const times = (type: string, scale: number, duration: number): Buffer =>
  box(type, Buffer.alloc(12), u32(scale), u32(duration), Buffer.alloc(12));
const longTimes = (type: string, scale: number, duration: bigint): Buffer =>
  box(type, Buffer.from([1, 0, 0, 0]), Buffer.alloc(16), u32(scale), u64(duration), Buffer.alloc(12));
const track = (handler: string, scale: number, duration: number): Buffer => {
  const named = box("hdlr", Buffer.alloc(8), Buffer.from(handler), Buffer.alloc(12));
  return box("trak", box("tkhd", Buffer.alloc(80)), box("mdia", times("mdhd", scale, duration), named));
};

interface Mp4 {
  readonly ms: number;
  readonly soundBytes: number;
  readonly shape?: "index first" | "index last" | "long numbers" | "film" | "pieces" | "counted pieces" | "short whole";
}

export function mp4({ ms, soundBytes, shape = "index first" }: Mp4): Buffer {
  const whole =
    {
      "long numbers": longTimes("mvhd", 1000, BigInt(ms)),
      "short whole": times("mvhd", 1000, 1),
      pieces: times("mvhd", 1000, 0),
      "counted pieces": times("mvhd", 1000, 0),
    }[shape as string] ?? times("mvhd", 1000, ms);
  const isInPieces = shape.endsWith("pieces");
  const mvex = shape === "counted pieces" ? box("mvex", box("mehd", Buffer.alloc(4), u32(ms))) : box("mvex");
  const sound = track("soun", 48_000, isInPieces ? 0 : ms * 48);
  const tracks = shape === "film" ? [track("vide", 1000, ms), sound] : [sound];
  const index = box("moov", whole, ...tracks, ...(isInPieces ? [mvex] : []));
  const data =
    shape === "long numbers"
      ? Buffer.concat([u32(1), Buffer.from("mdat"), u64(BigInt(soundBytes + 16)), noise(soundBytes)])
      : box("mdat", noise(soundBytes));
  const begin = box("ftyp", Buffer.from("M4A \0\0\0\0M4A mp42"));
  return Buffer.concat(shape === "index last" ? [begin, box("free"), data, index] : [begin, index, data]);
}

const element = (id: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(id, "hex"), u32(0x1000_0000 + body.length), body]);
};

interface Webm {
  readonly ms: number | null;
  readonly soundBytes: number;
  readonly isFilm?: boolean;
}

export function webm({ ms, soundBytes, isFilm = false }: Webm): Buffer {
  const scale = element("2ad7b1", u32(500_000));
  const duration =
    ms === null
      ? []
      : [
          element(
            "4489",
            numbers(8, (bytes) => bytes.writeDoubleBE(ms * 2)),
          ),
        ];
  const tracks = [2, ...(isFilm ? [1] : [])].map((type) => element("ae", element("83", Buffer.from([type]))));
  const segment = [
    // Room for an index, with a size of eight bytes.
    Buffer.concat([Buffer.from("ec0100000000000058", "hex"), Buffer.alloc(0x58)]),
    element("1549a966", scale, ...duration),
    element("1654ae6b", ...tracks),
    Buffer.concat([Buffer.from("1f43b67501ffffffffffffff", "hex"), noise(soundBytes)]),
  ];
  return Buffer.concat([
    element("1a45dfa3", element("4282", Buffer.from("webm"))),
    Buffer.from("1853806701ffffffffffffff", "hex"),
    ...segment,
  ]);
}
