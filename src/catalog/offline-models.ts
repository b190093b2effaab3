import type { Deployment } from "../contract/deployment.ts";
import { OFFLINE_GROUPS } from "../contract/offline-models.ts";

/** What the chat model does (docs/offline-models.md). It takes pictures but sees nothing in them, and does not reason. */
const CHAT: Deployment["info"] = {
  supports_function_calling: true,
  supports_parallel_function_calling: true,
  supports_response_schema: true,
  supports_vision: false,
  supports_reasoning: false,
};

/** Models that need no key and no network, so that the first call of a newcomer works; priced, so that it shows a cost. */
const OFFLINE: Record<(typeof OFFLINE_GROUPS)[number], Deployment["info"]> = {
  echo: { mode: "chat", input_cost_per_token: 1e-7, output_cost_per_token: 4e-7, ...CHAT },
  "echo-completion": { mode: "completion", input_cost_per_token: 1e-7, output_cost_per_token: 4e-7 },
  "echo-embedding": { mode: "embedding", input_cost_per_token: 2e-8 },
  "echo-image": { mode: "image_generation", output_cost_per_image: 0.001 },
  "echo-speech": { mode: "audio_speech", input_cost_per_character: 1e-6 },
  "echo-transcription": { mode: "audio_transcription", input_cost_per_second: 1e-4 },
  "echo-realtime": {
    mode: "realtime",
    input_cost_per_token: 1e-7,
    output_cost_per_token: 4e-7,
    cache_read_input_token_cost: 5e-8,
    input_cost_per_audio_token: 1e-6,
    cache_read_input_audio_token_cost: 1e-7,
    output_cost_per_audio_token: 4e-6,
  },
  "echo-moderation": { mode: "moderation", free: true },
};

export const offlineModels = (): Deployment[] =>
  OFFLINE_GROUPS.map((group) => ({
    id: `builtin-${group}`,
    group,
    provider: "echo",
    upstreamModel: group === "echo" ? "chat" : group.slice("echo-".length),
    apiBase: null,
    apiKey: null,
    apiVersion: null,
    params: {},
    info: OFFLINE[group],
  }));
