import type { EchoCall } from "../call.ts";
import { badRequest } from "../failure.ts";
import type { Fields } from "../fields.ts";
import { findNumber, findText, getText, isFields } from "../fields.ts";
import { planMelody, renderMelody, SAMPLE_RATE, voiceHz } from "./synthesize.ts";
import { encodeWav, pcmBytes } from "./wav.ts";

const INPUT_CHARACTERS_MAX = 4096;

/** `POST /audio/speech`. */
export function speech({ body }: EchoCall): Response {
  getText(body, "model");
  const text = parseInput(body);
  const format = parseFormat(body);
  const speed = findNumber(body, "speed", { min: 0.25, max: 4 }) ?? 1;
  const samples = renderMelody(planMelody(text, voiceHz(parseVoice(body)), speed));
  if (format === "pcm") return audio(pcmBytes(samples), "audio/pcm");
  return audio(encodeWav(samples, SAMPLE_RATE, text), "audio/wav");
}

function audio(bytes: Buffer, type: string): Response {
  return new Response(new Uint8Array(bytes), { headers: { "content-type": type } });
}

function parseInput(body: Fields): string {
  const text = getText(body, "input");
  if (text.length > 0 && text.length <= INPUT_CHARACTERS_MAX) return text.toWellFormed();
  throw badRequest(`'input' must have 1 to ${INPUT_CHARACTERS_MAX} characters.`, "input", "invalid_value");
}

function parseVoice(body: Fields): string {
  if (isFields(body.voice)) return getText(body.voice, "id");
  return findText(body, "voice") ?? "alloy";
}

/**
 * OpenAI's default is MP3. Echo has no encoder for it, so it answers WAV when nothing is asked for, and refuses what it
 * cannot make rather than send one format under the name of another.
 */
function parseFormat(body: Fields): "wav" | "pcm" {
  const format = findText(body, "response_format") ?? "wav";
  if (format === "wav" || format === "pcm") {
    if (body.stream_format !== "sse") return format;
    throw badRequest("Echo sends speech as plain audio only.", "stream_format", "unsupported_value");
  }
  throw badRequest(`Echo makes 'wav' and 'pcm', not '${format}'.`, "response_format", "unsupported_value");
}
