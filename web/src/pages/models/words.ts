import type { ModelCapability, PlatformModel } from "../../../../src/contract/platform-models.ts";

/** What kinds of models are called; a kind that is not here is shown by its own name. */
const TYPES: Readonly<Record<string, string>> = {
  chat: "Chat",
  completion: "Completion",
  embedding: "Embedding",
  image: "Images",
  audio_speech: "Speech",
  audio_transcription: "Transcription",
  moderation: "Moderation",
  rerank: "Reranking",
  realtime: "Realtime",
};
export const typeWords = (type: string): string => TYPES[type] ?? type.replaceAll("_", " ");

export const CAPABILITIES: Readonly<Record<ModelCapability, string>> = {
  vision: "Vision",
  tools: "Tools",
  parallelTools: "Parallel tools",
  streaming: "Streaming",
  json: "JSON schema",
  reasoning: "Reasoning",
};
const NAMES = Object.keys(CAPABILITIES) as ModelCapability[];

/** What a model is known to be able to do. */
export const capabilitiesOf = (model: PlatformModel): ModelCapability[] =>
  NAMES.filter((name) => model.capabilities[name] === true);

interface StatusWords {
  readonly words: string;
  readonly color: string;
  readonly about: string;
}
const STATUS: Readonly<Record<PlatformModel["status"], StatusWords>> = {
  active: { words: "Works", color: "pine", about: "None of its deployments rests, fails or waits to be set up." },
  degraded: {
    words: "Degraded",
    color: "yellow",
    about: "Some of its deployments cannot take calls; others do.",
  },
  unavailable: { words: "Not available", color: "red", about: "None of its deployments can take calls at present." },
};
const UNPRICED: StatusWords = {
  words: "No price",
  color: "red",
  about: "It cannot be called until the operator states a price.",
};

/** Whether it can be called: a model that nobody could be charged for refuses every call, however well it is. */
export const statusOf = ({ status, priceStatus }: PlatformModel): StatusWords =>
  priceStatus === "unknown" ? UNPRICED : STATUS[status];

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** `128K`; the exact count goes beside it. */
export const shortCount = (count: number): string => COMPACT.format(count);
