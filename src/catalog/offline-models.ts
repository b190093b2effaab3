import type { Deployment } from "../contract/deployment.ts";

/** Models that need no key and no network, so that the first call of a newcomer works. */
const OFFLINE = [
  ["echo", "chat", "chat"],
  ["echo-completion", "completion", "completion"],
  ["echo-embedding", "embedding", "embedding"],
  ["echo-image", "image", "image_generation"],
  ["echo-speech", "speech", "audio_speech"],
  ["echo-transcription", "transcription", "audio_transcription"],
  ["echo-moderation", "moderation", "moderation"],
] as const;

export const offlineModels = (): Deployment[] =>
  OFFLINE.map(([group, upstreamModel, mode]) => ({
    id: `builtin-${group}`,
    group,
    provider: "echo",
    upstreamModel,
    apiBase: null,
    apiKey: null,
    apiVersion: null,
    params: {},
    info: { mode },
  }));
