import { OPENAI_PARAMS, type Operation } from "../../contract/params.ts";
import { perModel } from "../worked-out-once.ts";

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** What a kind of model does not know of its operation's parameters. The first that fits counts; others know all. */
interface Limits {
  readonly operation: Operation;
  readonly models: RegExp;
  readonly lacks: readonly string[];
}

const SAMPLING = words("temperature top_p logprobs top_logprobs");
const NOT_FOR_REASONING = words("frequency_penalty presence_penalty logit_bias modalities audio prediction");
const FOR_REASONING = words("reasoning_effort verbosity");
/** OpenAI's chats search the web with the search models alone. */
const SEARCH = "web_search_options";

const LIMITS: readonly Limits[] = [
  // Chat models that carry the number of a reasoning family and do not reason.
  { operation: "chat", models: /^gpt-\d[\d.]*-chat/, lacks: [...FOR_REASONING, SEARCH] },
  {
    operation: "chat",
    models: /^gpt-[\w.]+(-mini)?-search/,
    lacks: [...SAMPLING, ...NOT_FOR_REASONING, ...FOR_REASONING, ...words("n seed stop tools tool_choice")],
  },
  // From 5.1 on, sampling can be set as long as no reasoning is asked for, which is how these models begin.
  {
    operation: "chat",
    models: /^gpt-(5\.[1-9]|[6-9]|\d{2})(?!.*(pro|codex))/,
    lacks: [...NOT_FOR_REASONING, "stop", SEARCH],
  },
  { operation: "chat", models: /^gpt-5/, lacks: [...SAMPLING, ...NOT_FOR_REASONING, "stop", SEARCH] },
  {
    operation: "chat",
    models: /^o1/,
    lacks: [...SAMPLING, ...NOT_FOR_REASONING, "verbosity", "parallel_tool_calls", SEARCH],
  },
  {
    operation: "chat",
    models: /^(o\d|codex)/,
    lacks: [...SAMPLING, ...NOT_FOR_REASONING, "verbosity", "stop", "parallel_tool_calls", SEARCH],
  },
  { operation: "chat", models: /^(gpt-[34]|chatgpt)/, lacks: [...FOR_REASONING, SEARCH] },
  { operation: "embedding", models: /^text-embedding-ada/, lacks: ["dimensions"] },
  { operation: "speech", models: /^tts-1/, lacks: ["instructions", "stream_format"] },
  { operation: "transcription", models: /^whisper/, lacks: words("stream include chunking_strategy") },
  { operation: "transcription", models: /^gpt-.*-diarize/, lacks: words("prompt include timestamp_granularities") },
  { operation: "transcription", models: /^gpt-/, lacks: ["timestamp_granularities"] },
  {
    operation: "image",
    models: /^dall-e-2/,
    lacks: words("quality style background moderation output_compression output_format partial_images stream"),
  },
  {
    operation: "image",
    models: /^dall-e-3/,
    lacks: words("background moderation output_compression output_format partial_images stream"),
  },
  { operation: "image", models: /^gpt-image/, lacks: words("response_format style") },
  {
    operation: "image_edit",
    models: /^dall-e-2/,
    lacks: words("quality background input_fidelity output_compression output_format partial_images stream"),
  },
  { operation: "image_edit", models: /^(gpt-image|chatgpt-image)/, lacks: ["response_format"] },
];

/** The model that a name stands for: of a fine-tuned one it comes second. */
const plainModel = (name: string): string => name.replace(/^(openai\/)?(ft:)?/, "");

/** The parameters that one of OpenAI's models takes. Names that are not OpenAI's are somebody's own: they take all. */
export function openAiParams(operation: Operation, model: string): readonly string[] {
  const name = plainModel(model);
  const limits = LIMITS.find((row) => row.operation === operation && row.models.test(name));
  const all: readonly string[] = OPENAI_PARAMS[operation];
  return limits ? all.filter((param) => !limits.lacks.includes(param)) : all;
}

/** The newer models refuse `max_tokens` under its old name. */
export const limitsCompletionTokens = perModel((model) => LIMITS_COMPLETION.test(plainModel(model)));

/** Whether a model thinks before it speaks. */
export const reasons = perModel(
  (model) => limitsCompletionTokens(model) && !/^gpt-\d[\d.]*-chat/.test(plainModel(model)),
);

/** From 5.1 on, models take sampling parameters only while no reasoning is asked for. */
export function samplingNextToReasoning(
  { reasoning_effort: effort }: Readonly<Record<string, unknown>>,
  model: string,
): readonly string[] {
  const isConditional = typeof effort === "string" && effort !== "none" && CONDITIONAL.test(plainModel(model));
  return isConditional ? SAMPLING : [];
}

const CONDITIONAL = /^gpt-(5\.[1-9]|[6-9]|\d{2})/;

/** Whether a model is offered web search as a tool of OpenAI's Responses. */
export const searchesInResponses = (model: string): boolean => !WITHOUT_SEARCH.test(plainModel(model));

const WITHOUT_SEARCH = /^(gpt-3|gpt-4($|-)|gpt-4\.1-nano|o1|o3-mini|codex-mini)/;

const LIMITS_COMPLETION = /^(o\d|codex|gpt-([5-9]|\d{2}))/;
