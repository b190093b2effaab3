import type { EchoCall } from "../call.ts";
import type { StreamEvent } from "../event-stream.ts";
import { eventStreamResponse } from "../event-stream.ts";
import { badRequest } from "../failure.ts";
import type { Fields } from "../fields.ts";
import { findOneOf, getText } from "../fields.ts";
import { tokenize } from "../text/tokenize.ts";
import { srt, vtt } from "./subtitles.ts";
import { roundMs, timeSegments, timeWords } from "./timing.ts";
import { findWavInfo } from "./wav.ts";

const FORMATS = ["json", "text", "srt", "vtt", "verbose_json"] as const;

interface Transcript {
  readonly text: string;
  readonly seconds: number;
}

/** `POST /audio/transcriptions`. */
export const transcription = (call: EchoCall): Promise<Response> => writeDown(call, "transcribe");

/** `POST /audio/translations`: whatever was said counts as English. */
export const translation = (call: EchoCall): Promise<Response> => writeDown(call, "translate");

async function writeDown({ body, form, pace }: EchoCall, task: "transcribe" | "translate"): Promise<Response> {
  getText(body, "model");
  const format = findOneOf(body, "response_format", FORMATS) ?? "json";
  const file = form?.get("file");
  if (!(file instanceof Blob))
    throw badRequest("'file' must be a file of a multipart form.", "file", "missing_required_parameter");
  const transcript = transcribe(Buffer.from(await file.arrayBuffer()));
  if (body.stream === "true") return eventStreamResponse(events(transcript), pace);
  const segments = () => timeSegments(transcript.text, transcript.seconds);
  switch (format) {
    case "json":
      return Response.json({ text: transcript.text, usage: usage(transcript) });
    case "text":
      return plain(`${transcript.text}\n`);
    case "srt":
      return plain(srt(segments()));
    case "vtt":
      return plain(vtt(segments()));
    case "verbose_json": {
      const language = task === "translate" ? "english" : (body.language ?? "english");
      const granularities = form?.getAll("timestamp_granularities[]") ?? [];
      return Response.json({ task, language, ...verbose(transcript, body, granularities) });
    }
  }
}

/** MP3 at a common rate: the length of a file that echo cannot open is estimated with it. */
const ESTIMATED_BYTES_PER_SECOND = 16_000;

/** What echo's own speech says is read back; of any other sound only its length is told, since echo cannot hear. */
function transcribe(bytes: Buffer): Transcript {
  if (bytes.length === 0) throw badRequest("The audio file is empty.", "file", "invalid_value");
  const wav = findWavInfo(bytes);
  if (wav === undefined) {
    return { text: `[audio: ${bytes.length} bytes]`, seconds: roundMs(bytes.length / ESTIMATED_BYTES_PER_SECOND) };
  }
  const seconds = roundMs(wav.seconds);
  return { text: wav.spokenText ?? `[audio: ${seconds.toFixed(1)} seconds]`, seconds };
}

function usage({ seconds }: Transcript) {
  return { type: "duration", seconds: Math.ceil(seconds) };
}

function plain(text: string): Response {
  return new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
}

function* events(transcript: Transcript): Generator<StreamEvent> {
  for (const delta of tokenize(transcript.text)) {
    yield { data: { type: "transcript.text.delta", delta }, isPiece: true };
  }
  yield { data: { type: "transcript.text.done", text: transcript.text, usage: usage(transcript) }, isPiece: false };
}

function verbose(transcript: Transcript, { temperature }: Fields, granularities: readonly unknown[]): object {
  const { text, seconds } = transcript;
  const segments = timeSegments(text, seconds).map(({ text: spoken, start, end }, id) => ({
    ...{ id, seek: 0, start, end, text: spoken, tokens: tokenize(spoken).map((_, at) => at) },
    ...{ temperature: Number(temperature ?? 0), avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 },
  }));
  const words = timeWords(text, seconds).map(({ text: word, start, end }) => ({ word, start, end }));
  const wantsSegments = granularities.length === 0 || granularities.includes("segment");
  return {
    duration: seconds,
    text,
    ...(wantsSegments ? { segments } : {}),
    ...(granularities.includes("word") ? { words } : {}),
    usage: usage(transcript),
  };
}
