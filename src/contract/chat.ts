import Type, { type Static } from "typebox";
import { nullable } from "./schema.ts";

const AnyObject = Type.Object({}, { additionalProperties: true });

/** The six variants share these fields; what a provider adds to a message passes through. */
export const ChatMessage = Type.Object(
  {
    role: Type.Enum(["user", "assistant", "tool", "system", "function", "developer"]),
    content: nullable(Type.Union([Type.String(), Type.Array(AnyObject)])),
    name: nullable(Type.String()),
    tool_calls: nullable(Type.Array(AnyObject)),
    tool_call_id: nullable(Type.String()),
    function_call: nullable(AnyObject),
  },
  { additionalProperties: true },
);

/** The body of a chat completion. Fields that are not listed here pass through to the model. */
export const ChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512 }),
    messages: Type.Array(ChatMessage, { minItems: 1 }),
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
    stream_options: nullable(AnyObject),
    temperature: nullable(Type.Number()),
    top_p: nullable(Type.Number()),
    tools: nullable(Type.Array(AnyObject)),
    tool_choice: nullable(Type.Union([Type.String(), AnyObject])),
    parallel_tool_calls: nullable(Type.Boolean()),
    function_call: nullable(Type.Union([Type.String(), AnyObject])),
    functions: nullable(Type.Array(AnyObject)),
    user: nullable(Type.String()),
    stream: nullable(Type.Boolean()),
    metadata: nullable(AnyObject),
    guardrails: nullable(Type.Array(Type.String())),
    caching: nullable(Type.Boolean()),
    num_retries: nullable(Type.Integer({ minimum: 0 })),
    context_window_fallback_dict: nullable(Type.Record(Type.String(), Type.String())),
    fallbacks: nullable(Type.Array(Type.String())),
  },
  { additionalProperties: true },
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

/** Fields that steer the gateway and are none of the model's business. */
export const GATEWAY_FIELDS: ReadonlySet<string> = new Set([
  "metadata",
  "guardrails",
  "caching",
  "num_retries",
  "context_window_fallback_dict",
  "fallbacks",
]);
