import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Transcription, TranscriptionStreamEvent, TranscriptionVerbose } from "openai/resources/audio";
import { parseEvents, testEcho } from "../test-echo.ts";
import { planMelody, SPEECH_SECONDS_MAX, voiceHz } from "./synthesize.ts";
import { encodeWav, findWavInfo } from "./wav.ts";

const { post, refusal } = testEcho();

async function speak(body: object): Promise<Buffer<ArrayBuffer>> {
  const response = await post("audio/speech", { model: "echo", voice: "alloy", ...body });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

function hear(bytes: Uint8Array<ArrayBuffer>, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
  const form = new FormData();
  form.set("file", new File([bytes], "speech.wav"));
  form.set("model", "echo");
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return post("audio/transcriptions", form);
}

/** A WAV by somebody else: no comment, silence only. */
function strangeWav(seconds: number): Buffer<ArrayBuffer> {
  const wav = encodeWav(new Int16Array(seconds * 8000), 8000, "");
  const list = wav.indexOf("LIST");
  return Buffer.concat([wav.subarray(0, list), wav.subarray(wav.indexOf("data"))]);
}

describe("speech", () => {
  test("without a format it is a WAV of 24 kHz, 16 bits, mono", async () => {
    const response = await post("audio/speech", { model: "echo", voice: "alloy", input: "Hello" });
    expect(response.headers.get("content-type")).toBe("audio/wav");
    const wav = Buffer.from(await response.arrayBuffer());
    expect(wav.toString("latin1", 0, 4) + wav.toString("latin1", 8, 12)).toBe("RIFFWAVE");
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    const format = wav.indexOf("fmt ") + 8;
    expect([wav.readUInt16LE(format), wav.readUInt16LE(format + 2), wav.readUInt32LE(format + 4)]).toEqual([
      1, 1, 24_000,
    ]);
    const samples = wav.subarray(wav.indexOf("data") + 8);
    expect(samples.some((byte) => byte !== 0)).toBe(true);
  });

  test("pcm is the samples alone", async () => {
    const wav = await speak({ input: "Hello", response_format: "wav" });
    const pcm = await speak({ input: "Hello", response_format: "pcm" });
    expect(wav.subarray(-pcm.length).equals(pcm)).toBe(true);
  });

  test("longer text and slower speed take longer, up to a bound", () => {
    const seconds = (text: string, speed = 1) => planMelody(text, 220, speed).seconds;
    expect(seconds("Hello big world")).toBeGreaterThan(seconds("Hello"));
    expect(seconds("Hello", 0.5)).toBeCloseTo(2 * seconds("Hello"));
    expect(seconds("word ".repeat(800))).toBeCloseTo(SPEECH_SECONDS_MAX);
    expect(seconds("word ".repeat(800), 0.25)).toBeCloseTo(SPEECH_SECONDS_MAX);
  });

  test("the voice changes the pitch, known or not", () => {
    expect(new Set(["alloy", "onyx", "nova", "somebody"].map(voiceHz)).size).toBe(4);
    for (const voice of ["constructor", "__proto__"]) expect(voiceHz(voice)).toBeWithin(130, 300);
  });

  test("formats that echo cannot make are refused rather than mislabelled", async () => {
    for (const response_format of ["mp3", "opus", "aac", "flac"]) {
      const error = await refusal("audio/speech", { model: "echo", voice: "alloy", input: "x", response_format });
      expect(error).toMatchObject({ status: 400, param: "response_format" });
      expect(error.message).toContain(response_format);
    }
    expect(await refusal("audio/speech", { model: "echo", input: "x", speed: 5 })).toMatchObject({ param: "speed" });
    expect(await refusal("audio/speech", { model: "echo", input: "" })).toMatchObject({ param: "input" });
  });
});

describe("transcription", () => {
  test("gives the text of any speech back exactly", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), async (input) => {
        const response = await hear(await speak({ input, speed: 4 }));
        const { text } = (await response.json()) as Transcription;
        expect(text).toBe(input);
      }),
      { numRuns: 30 },
    );
  });

  test("reports the length as usage", async () => {
    const response = await hear(strangeWav(3));
    expect(await response.json()).toEqual({ text: "[audio: 3.0 seconds]", usage: { type: "duration", seconds: 3 } });
  });

  test("tells only the size of what is no WAV, and refuses nothing at all", async () => {
    const { text } = (await (await hear(Buffer.from("ID3 not really music"))).json()) as Transcription;
    expect(text).toBe("[audio: 20 bytes]");
    expect((await hear(Buffer.alloc(0))).status).toBe(400);
    expect(await refusal("audio/transcriptions", { model: "echo" })).toMatchObject({ status: 400, param: "file" });
  });

  test("a comment that somebody else wrote is not taken for speech", () => {
    const wav = encodeWav(new Int16Array(10), 8000, "a comment");
    wav.write("Somebody else", wav.indexOf("ISFT") + 8);
    expect(findWavInfo(wav)?.spokenText).toBeUndefined();
  });

  test("broken WAV files are read without a failure", () => {
    const wav = encodeWav(new Int16Array(100), 8000, "text");
    for (let length = 0; length < wav.length; length++)
      expect(() => findWavInfo(wav.subarray(0, length))).not.toThrow();
  });

  const input = "One two three. Four five & <six>.";

  test("text is the text", async () => {
    const response = await hear(await speak({ input }), { response_format: "text" });
    expect(response.headers.get("content-type")).toContain("text/plain");
    expect(await response.text()).toBe(`${input}\n`);
  });

  test("srt numbers its segments and keeps time", async () => {
    const text = await (await hear(await speak({ input }), { response_format: "srt" })).text();
    expect(text).toMatch(
      /^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nOne two three\.\n\n2\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nFour/,
    );
  });

  test("vtt has its header and escapes its text", async () => {
    const text = await (await hear(await speak({ input }), { response_format: "vtt" })).text();
    expect(text).toStartWith("WEBVTT\n\n00:00:00.000 --> 00:00:0");
    expect(text).toContain("Four five &amp; &lt;six&gt;.\n\n");
  });

  test("verbose_json has segments, and words when asked, that fill the time in order", async () => {
    const wav = await speak({ input });
    const verbose = (await (await hear(wav, { response_format: "verbose_json" })).json()) as TranscriptionVerbose;
    expect(verbose).toMatchObject({ text: input, language: "english", task: "transcribe" });
    expect(verbose.words).toBeUndefined();
    const fields = { response_format: "verbose_json", "timestamp_granularities[]": "word", language: "en" };
    const worded = (await (await hear(wav, fields)).json()) as TranscriptionVerbose;
    expect(worded.words?.map(({ word }) => word)).toEqual(input.split(" "));
    for (const parts of [verbose.segments ?? [], worded.words ?? []]) {
      expect(parts[0]?.start).toBe(0);
      expect(parts.at(-1)?.end).toBe(Number(verbose.duration));
      expect(parts.every(({ start, end }, at) => start < end && (at === 0 || parts[at - 1]?.end === start))).toBe(true);
    }
  });

  test("a translation is told as one, in English", async () => {
    const form = new FormData();
    form.set("model", "echo");
    form.set("response_format", "verbose_json");
    form.set("language", "de");
    form.set("file", new File([await speak({ input })], "a.wav"));
    expect(await (await post("audio/translations", form)).json()).toMatchObject({
      ...{ text: input, language: "english", task: "translate" },
    });
  });

  test("a stream sends the pieces and then the whole", async () => {
    const text = await (await hear(await speak({ input }), { stream: "true" })).text();
    const events = parseEvents<TranscriptionStreamEvent>(text);
    expect(events.map((event) => (event.type === "transcript.text.delta" ? event.delta : "")).join("")).toBe(input);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text: input, usage: { type: "duration" } });
  });
});
