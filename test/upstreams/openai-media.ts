// Everything but chat and text completion.

import { isRecord } from "../../src/lib/json.ts";
import type { Fields } from "./openai-checks.ts";
import { eventResponse } from "./openai-events.ts";
import { refuse } from "./openai-refusal.ts";
import type { Reply, Seen } from "./script.ts";

/** A picture of a single dot. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Vectors of place and length, as all our fakes give them. */
export function embeddingAnswer({ body, model }: Seen): object {
  const inputs = inputsOf(body.input);
  const data = inputs.map((input, index) => {
    const vector = [index, input.length, 1];
    const embedding = body.encoding_format === "base64" ? base64Of(vector) : vector;
    return { object: "embedding", index, embedding };
  });
  const tokens = inputs.reduce((sum, input) => sum + input.length, 0);
  return { object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } };
}

/** One text, several texts, the tokens of one or of several. */
function inputsOf(input: unknown): readonly (string | readonly unknown[])[] {
  if (typeof input === "string" && input !== "") return [input];
  const isList = Array.isArray(input) && input.length > 0;
  if (isList && input.every((item) => typeof item === "number")) return [input];
  if (isList && input.every((item) => typeof item === "string" || Array.isArray(item))) return input;
  throw refuse("'$.input' is invalid. Please check the API reference.", "input");
}

const base64Of = (vector: readonly number[]): string => Buffer.from(new Float32Array(vector).buffer).toString("base64");

export function moderationAnswer({ body, model }: Seen): object {
  const inputs = Array.isArray(body.input) ? body.input : [body.input];
  if (inputs.some((input) => typeof input !== "string" && !isRecord(input))) throw refuse("Invalid 'input'.", "input");
  const results = inputs.map((input) => {
    const violence = JSON.stringify(input).includes("kill");
    return { flagged: violence, categories: { violence }, category_scores: { violence: violence ? 0.98 : 0.01 } };
  });
  return { id: "modr-1", model, results };
}

export function imageAnswer({ body }: Seen): object {
  if (typeof body.prompt !== "string") throw refuse("Missing required parameter: 'prompt'.", "prompt");
  const one =
    body.response_format === "b64_json" || String(body.model).startsWith("gpt-image")
      ? { b64_json: PNG }
      : { url: "https://images.example/1.png" };
  return {
    created: 1_760_000_000,
    data: Array(typeof body.n === "number" ? body.n : 1).fill(one),
    usage: { input_tokens: 10, output_tokens: 20, total_tokens: 30 },
  };
}

const SOUNDS: Readonly<Record<string, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

/** The sound is the text itself, so that a test can tell whether it came through whole. */
export function speechResponse({ body }: Seen, headers: Record<string, string>): Response {
  for (const name of ["input", "voice"]) {
    if (typeof body[name] !== "string") throw refuse(`Missing required parameter: '${name}'.`, name);
  }
  const type = SOUNDS[String(body.response_format ?? "mp3")];
  if (type === undefined) throw refuse("Invalid value for 'response_format'.", "response_format");
  return new Response(`sound:${body.input}`, { headers: { ...headers, "content-type": type } });
}

/** The fields of a form; `file` must be a file with a name and something in it. */
export async function readTranscriptionForm(request: Request): Promise<{ body: Fields; bytes: number }> {
  const form = await request.formData().catch(() => {
    throw refuse("Could not parse multipart form");
  });
  const file = form.get("file");
  if (!(file instanceof File) || file.name === "") throw refuse("Missing required parameter: 'file'.", "file");
  if (file.size === 0) throw refuse("Audio file is empty.", "file");
  const body: Record<string, unknown> = {};
  for (const [name, value] of form) if (typeof value === "string") body[name] = value;
  return { body: { ...body, file_name: file.name, file_type: file.type, file_bytes: file.size }, bytes: file.size };
}

export function transcriptionResponse(seen: Seen, reply: Reply, headers: Record<string, string>): Response {
  const text = reply.text ?? "Hello.";
  const usage = { type: "duration", seconds: 3 };
  if (seen.stream) {
    const events = [
      { type: "transcript.text.delta", delta: text },
      { type: "transcript.text.done", text, usage },
    ];
    return eventResponse(events, reply, headers);
  }
  const plain = (said: string) => new Response(said, { headers: { ...headers, "content-type": "text/plain" } });
  switch (seen.body.response_format ?? "json") {
    case "text":
      return plain(`${text}\n`);
    case "srt":
      return plain(`1\n00:00:00,000 --> 00:00:03,000\n${text}\n\n`);
    case "vtt":
      return plain(`WEBVTT\n\n00:00:00.000 --> 00:00:03.000\n${text}\n\n`);
    case "verbose_json":
      return Response.json(
        { task: "transcribe", language: "english", duration: 3, text, segments: [], usage },
        { headers },
      );
    case "json":
      return Response.json({ text, usage }, { headers });
    default:
      throw refuse("Invalid value for 'response_format'.", "response_format");
  }
}
