import type { EchoCall } from "./call.ts";

/** Names for each thing echo does. It answers to any other name too, so that it can stand in for any upstream. */
export const ECHO_MODELS = [
  "echo",
  "echo-embedding",
  "echo-image",
  "echo-speech",
  "echo-transcription",
  "echo-moderation",
] as const;

/** `GET /models`. */
export function models(_: EchoCall): Response {
  const data = ECHO_MODELS.map((id) => ({ id, object: "model", created: 0, owned_by: "turnpike" }));
  return Response.json({ object: "list", data });
}
