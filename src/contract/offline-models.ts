/** The models that are there without a list of models, and beside it unless `demo` is off. */
export const OFFLINE_GROUPS = [
  "echo",
  "echo-completion",
  "echo-embedding",
  "echo-image",
  "echo-speech",
  "echo-transcription",
  "echo-realtime",
  "echo-moderation",
] as const;
