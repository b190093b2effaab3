import { GatewayError } from "../contract/errors.ts";
import type { Classified, Target, UpstreamFailure, UpstreamRequest } from "./dialect.ts";
import { findChatDialect, findOpenAiLike } from "./registry.ts";

export interface Probe {
  readonly request: UpstreamRequest;
  classify(failure: UpstreamFailure): Classified;
}

const WORD = "ping";

/** The smallest request of each kind of model, by the catalogue's `mode`. */
const SMALLEST: Readonly<Record<string, { path: string; body: object }>> = {
  completion: { path: "/completions", body: { prompt: WORD, max_tokens: 1 } },
  embedding: { path: "/embeddings", body: { input: WORD } },
  image_generation: { path: "/images/generations", body: { prompt: WORD, n: 1 } },
  moderation: { path: "/moderations", body: { input: WORD } },
  audio_speech: { path: "/audio/speech", body: { input: WORD, voice: "alloy" } },
};

/** A request that tells whether a deployment answers, and costs next to nothing. */
export function encodeProbe(target: Target, mode: string): Probe {
  const dialect = findChatDialect(target.provider);
  if (dialect && mode === "chat") {
    const request = { model: WORD, messages: [{ role: "user" as const, content: WORD }], max_tokens: 1 };
    return { request: dialect.encode(request, target), classify: (failure) => dialect.classify(failure) };
  }
  const family = findOpenAiLike(target.provider);
  if (!family) throw new GatewayError("invalid_request", `The provider \`${target.provider}\` is not served yet.`);
  if (mode === "audio_transcription")
    return { ...family, request: family.form(target, "/audio/transcriptions", silence()) };
  const smallest = SMALLEST[mode];
  if (!smallest) throw new GatewayError("invalid_request", `Models of the kind \`${mode}\` cannot be checked.`);
  return { ...family, request: family.json(target, smallest.path, smallest.body) };
}

/** A tenth of a second of silence at 8 kHz, as a WAV file. */
function silence(): FormData {
  const samples = 800;
  const view = new DataView(new ArrayBuffer(44 + samples * 2));
  const text = (at: number, word: string) => {
    for (let index = 0; index < word.length; index++) view.setUint8(at + index, word.charCodeAt(index));
  };
  text(0, "RIFF");
  view.setUint32(4, 36 + samples * 2, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8000, true);
  view.setUint32(28, 16_000, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, samples * 2, true);
  const form = new FormData();
  form.set("file", new File([view.buffer], "silence.wav", { type: "audio/wav" }));
  return form;
}
