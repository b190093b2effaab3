import type { EchoCall } from "./call.ts";
import { badRequest } from "./failure.ts";

/** Names for each thing echo does. It answers to any other name too, so that it can stand in for any upstream. */
export const ECHO_MODELS = [
  "echo",
  "echo-embedding",
  "echo-image",
  "echo-speech",
  "echo-transcription",
  "echo-moderation",
  "echo-realtime",
] as const;

/** What sounds and pictures are made of, or into. */
export type MediaKind = "image" | "speech" | "transcription";

/** What models are for, as configurations write it behind the provider's name. `echo` itself stands in for any. */
const KINDS: ReadonlySet<unknown> = new Set(
  "chat completion embedding image speech transcription moderation realtime".split(" "),
);

const ABILITIES: Readonly<Record<MediaKind, string>> = {
  image: "make images",
  speech: "speak",
  transcription: "transcribe",
};

/** Rejects a request for media to a model of another kind, as providers do. */
export function requireKind(model: unknown, kind: MediaKind): void {
  const named = typeof model === "string" ? model.replace(/^echo-/, "") : model;
  if (named === kind || !KINDS.has(named)) return;
  const group = named === "chat" ? "echo" : `echo-${named}`;
  const words = `The offline model \`${group}\` does not ${ABILITIES[kind]}. Call \`echo-${kind}\` (in a configuration: \`echo/${kind}\`).`;
  throw badRequest(words, "model", "invalid_value");
}

/** `GET /models`. */
export function models(_: EchoCall): Response {
  const data = ECHO_MODELS.map((id) => ({ id, object: "model", created: 0, owned_by: "turnpike" }));
  return Response.json({ object: "list", data });
}
