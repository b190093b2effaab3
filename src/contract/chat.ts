import Type, { type Static } from "typebox";
import { CACHE_FIELDS } from "./cache.ts";
import { nullable } from "./schema.ts";

const AnyObject = Type.Object({}, { additionalProperties: true });

/** Every kind of part says what it is; what else it holds depends on that. */
const Part = Type.Unsafe<{ type: string; [field: string]: unknown }>(
  Type.Object({ type: Type.String() }, { additionalProperties: true }),
);

/** Tools in a provider's own form, such as Google's `{"googleSearch": {}}`, have no type. */
const Tool = Type.Unsafe<{ type?: string | null; [field: string]: unknown }>(
  Type.Object({ type: nullable(Type.String()) }, { additionalProperties: true }),
);

/** The six variants share these fields; what a provider adds to a message passes through. */
export const ChatMessage = Type.Object(
  {
    role: Type.Enum(["user", "assistant", "tool", "system", "function", "developer"]),
    content: nullable(Type.Union([Type.String(), Type.Array(Part)])),
    name: nullable(Type.String()),
    tool_calls: nullable(Type.Array(AnyObject)),
    tool_call_id: nullable(Type.String()),
    function_call: nullable(AnyObject),
  },
  { additionalProperties: true },
);

const RETRIES = "How often a call that failed is tried again: a whole number of 0 or more, also as text.";

/** The body of a chat completion. Fields that are not listed here pass through to the model. */
export const ChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512 }),
    messages: Type.Array(ChatMessage, { minItems: 1, maxItems: 50_000 }),
    frequency_penalty: nullable(Type.Number()),
    logit_bias: nullable(Type.Record(Type.String(), Type.Number())),
    logprobs: nullable(Type.Boolean()),
    top_logprobs: nullable(Type.Integer()),
    max_tokens: nullable(Type.Integer({ minimum: 0 })),
    n: nullable(Type.Integer({ minimum: 1 })),
    presence_penalty: nullable(Type.Number()),
    response_format: nullable(AnyObject),
    seed: nullable(Type.Integer()),
    service_tier: nullable(Type.String()),
    stop: nullable(Type.Union([Type.String(), Type.Array(Type.String())])),
    stream_options: nullable(Type.Object({ include_usage: nullable(Type.Boolean()) }, { additionalProperties: true })),
    temperature: nullable(Type.Number()),
    top_p: nullable(Type.Number()),
    tools: nullable(Type.Array(Tool)),
    tool_choice: nullable(Type.Union([Type.String(), AnyObject])),
    parallel_tool_calls: nullable(Type.Boolean()),
    function_call: nullable(Type.Union([Type.String(), AnyObject])),
    functions: nullable(Type.Array(AnyObject)),
    user: nullable(Type.String()),
    stream: nullable(Type.Boolean()),
    metadata: nullable(AnyObject),
    guardrails: nullable(Type.Array(Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())]))),
    caching: nullable(Type.Boolean()),
    ...CACHE_FIELDS,
    // Either name is read in one place, where what cannot be read is refused by name.
    num_retries: Type.Optional(Type.Unknown({ description: RETRIES })),
    max_retries: Type.Optional(Type.Unknown({ description: "`num_retries` by another name." })),
    context_window_fallback_dict: nullable(Type.Record(Type.String(), Type.String())),
    fallbacks: nullable(Type.Array(Type.Union([Type.String(), AnyObject]))),
    models: nullable(Type.Array(Type.String())),
    enable_json_schema_validation: nullable(Type.Boolean()),
    drop_params: nullable(Type.Boolean()),
  },
  {
    additionalProperties: true,
    examples: [{ model: "echo", messages: [{ role: "user", content: "Hello!" }] }],
  },
);
export type ChatRequest = Static<typeof ChatRequest>;

const Usage = Type.Object(
  { prompt_tokens: Type.Integer(), completion_tokens: Type.Integer(), total_tokens: Type.Integer() },
  { additionalProperties: true },
);

/** A chat completion that is not streamed, as far as it is described here; providers add to it. */
export const ChatResponse = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("chat.completion"),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object(
        { index: Type.Integer(), message: ChatMessage, finish_reason: Type.Union([Type.String(), Type.Null()]) },
        { additionalProperties: true },
      ),
    ),
    usage: Type.Optional(Usage),
  },
  { additionalProperties: true },
);

/** A message in our wire form, as dialects read it. */
export interface Message {
  readonly role: "user" | "assistant" | "tool" | "system" | "function" | "developer";
  readonly content?: string | readonly ContentPart[] | null;
  /** What a model said in place of an answer. */
  readonly refusal?: string | null;
  readonly name?: string | null;
  readonly tool_calls?: readonly ToolCall[] | null;
  readonly tool_call_id?: string | null;
  readonly function_call?: { readonly name: string; readonly arguments: string } | null;
  /** Reasoning that an assistant message brings back, in the form that our answers have it. */
  readonly reasoning_content?: string | null;
  readonly thinking_blocks?: readonly Record<string, unknown>[] | null;
  readonly [extra: string]: unknown;
}

export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** `text`, `image_url`, `input_audio`, `file`, `refusal`; `cache_control` may stand on any of them. */
export interface ContentPart {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: string | { readonly url: string; readonly detail?: string };
  readonly input_audio?: { readonly data: string; readonly format: string };
  readonly file?: { readonly file_data?: string; readonly file_id?: string; readonly filename?: string };
  readonly cache_control?: Record<string, unknown>;
  readonly [extra: string]: unknown;
}

/** Tokens as OpenAI counts them: `prompt_tokens` includes what was read from or written to a cache. */
export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    readonly cache_creation_tokens?: number;
    readonly audio_tokens?: number;
    readonly image_tokens?: number;
  };
  readonly completion_tokens_details?: {
    readonly reasoning_tokens?: number;
    readonly audio_tokens?: number;
    readonly image_tokens?: number;
  };
  /** The same cache figures under the names that Anthropic's users read. */
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly [extra: string]: unknown;
}

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter" | "function_call";

export interface ChatAnswer {
  readonly id: string;
  readonly object: "chat.completion";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: Message;
    readonly finish_reason: FinishReason;
    readonly logprobs?: unknown;
  }[];
  readonly usage?: Usage;
  readonly [extra: string]: unknown;
}

export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly type?: "function";
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

export interface ChatDelta {
  readonly role?: "assistant";
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly thinking_blocks?: readonly Record<string, unknown>[];
  readonly tool_calls?: readonly ToolCallDelta[];
  readonly [extra: string]: unknown;
}

export interface ChatChunk {
  readonly id: string;
  readonly object: "chat.completion.chunk";
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: ChatDelta;
    readonly finish_reason: FinishReason | null;
    readonly logprobs?: unknown;
  }[];
  readonly usage?: Usage | null;
  readonly [extra: string]: unknown;
}
