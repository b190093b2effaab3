/** Marks the files that echo made itself: only their comment is known to be what is spoken in them. */
const SOFTWARE = "Turnpike echo";

interface WavInfo {
  readonly seconds: number;
  /** The text that echo spoke; undefined in everybody else's files. */
  readonly spokenText: string | undefined;
}

/** 16-bit mono PCM with the spoken text in the `LIST/INFO` comment. */
export function encodeWav(samples: Int16Array, sampleRate: number, spokenText: string): Buffer {
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(sampleRate, 4);
  format.writeUInt32LE(sampleRate * 2, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  const info = [Buffer.from("INFO"), chunk("ISFT", terminated(SOFTWARE)), chunk("ICMT", terminated(spokenText))];
  const chunks = [chunk("fmt ", format), chunk("LIST", Buffer.concat(info)), chunk("data", pcmBytes(samples))];
  return chunk("RIFF", Buffer.concat([Buffer.from("WAVE"), ...chunks]));
}

export function pcmBytes(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(samples.length * 2);
  for (let at = 0; at < samples.length; at++) bytes.writeInt16LE(samples[at] ?? 0, at * 2);
  return bytes;
}

/** Undefined for bytes that are no WAV file. Sizes beyond the end are cut: streamed files carry made-up ones. */
export function findWavInfo(bytes: Buffer): WavInfo | undefined {
  if (bytes.length < 12 || tag(bytes, 0) !== "RIFF" || tag(bytes, 8) !== "WAVE") return undefined;
  const chunks = readChunks(bytes.subarray(12));
  const format = chunks.get("fmt ");
  const data = chunks.get("data");
  if (format === undefined || format.length < 16 || data === undefined) return undefined;
  const bytesPerSecond = format.readUInt32LE(8);
  const list = chunks.get("LIST");
  return {
    seconds: bytesPerSecond === 0 ? 0 : data.length / bytesPerSecond,
    spokenText: list === undefined ? undefined : findSpokenText(list),
  };
}

function findSpokenText(list: Buffer): string | undefined {
  if (list.length < 4 || tag(list, 0) !== "INFO") return undefined;
  const entries = readChunks(list.subarray(4));
  const text = (name: string) => entries.get(name)?.subarray(0, -1).toString("utf8");
  return text("ISFT") === SOFTWARE ? text("ICMT") : undefined;
}

function readChunks(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = 0; at + 8 <= bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    chunks.set(tag(bytes, at), bytes.subarray(at + 8, at + 8 + size));
    at += 8 + size + (size % 2);
  }
  return chunks;
}

function tag(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + 4);
}

function terminated(text: string): Buffer {
  return Buffer.from(`${text}\0`, "utf8");
}

/** RIFF chunks begin at even places; the size does not count the byte of padding. */
function chunk(name: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(8 + data.length + (data.length % 2));
  bytes.write(name, 0, "latin1");
  bytes.writeUInt32LE(data.length, 4);
  bytes.set(data, 8);
  return bytes;
}
