import Type, { type Static } from "typebox";
import { ChatRequest } from "./chat.ts";
import { nullable } from "./schema.ts";

const AnyObject = Type.Object({}, { additionalProperties: true });

/** Every kind of block says what it is; what else it holds depends on that. */
const Block = Type.Unsafe<{ type: string; [field: string]: unknown }>(
  Type.Object({ type: Type.String() }, { additionalProperties: true }),
);
const Content = Type.Union([Type.String(), Type.Array(Block)]);

const Turn = Type.Object(
  { role: Type.Enum(["user", "assistant", "system"]), content: Content },
  { additionalProperties: true },
);

/** What is counted of a message's prompt. */
const PROMPT = {
  model: Type.String({ minLength: 1, maxLength: 512 }),
  messages: Type.Array(Turn, { minItems: 1, maxItems: 50_000 }),
  system: nullable(Content),
  tools: nullable(
    Type.Array(AnyObject, { description: "Own tools with an `input_schema`, or Anthropic's by `type`." }),
  ),
  tool_choice: nullable(
    Type.Object({ type: Type.Enum(["auto", "any", "tool", "none"]) }, { additionalProperties: true }),
  ),
  thinking: nullable(Type.Object({ type: Type.String() }, { additionalProperties: true })),
  output_config: nullable(AnyObject),
  output_format: nullable(AnyObject),
};

const { guardrails, caching, cache, num_retries, max_retries, fallbacks, models, drop_params } = ChatRequest.properties;
const { context_window_fallback_dict, enable_json_schema_validation } = ChatRequest.properties;

const EXAMPLE = { model: "echo", messages: [{ role: "user", content: "Hello!" }] };

/** The body of a message. Fields that are not listed here pass through to the model. */
export const MessagesRequest = Type.Object(
  {
    ...PROMPT,
    max_tokens: Type.Integer({ minimum: 0 }),
    stop_sequences: nullable(Type.Array(Type.String())),
    stream: nullable(Type.Boolean()),
    temperature: nullable(Type.Number()),
    top_p: nullable(Type.Number()),
    top_k: nullable(Type.Integer()),
    metadata: nullable(AnyObject),
    service_tier: nullable(Type.String()),
    ...{ guardrails, caching, cache, num_retries, max_retries, fallbacks, models, drop_params },
    ...{ context_window_fallback_dict, enable_json_schema_validation },
  },
  { additionalProperties: true, examples: [{ ...EXAMPLE, max_tokens: 100 }] },
);
export type MessagesRequest = Static<typeof MessagesRequest>;

export const MessageCountRequest = Type.Object(PROMPT, { additionalProperties: true, examples: [EXAMPLE] });
export type MessageCountRequest = Static<typeof MessageCountRequest>;

export const MessageCountResponse = Type.Object({ input_tokens: Type.Integer() });

const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

/** A message that is not streamed. */
export const MessagesResponse = Type.Object({
  id: Type.String(),
  type: Type.Literal("message"),
  role: Type.Literal("assistant"),
  model: Type.String(),
  content: Type.Array(Block),
  stop_reason: orNull("`end_turn`, `max_tokens`, `stop_sequence`, `tool_use`, `pause_turn` or `refusal`."),
  stop_sequence: orNull("The sequence that ended it, where the upstream tells it."),
  usage: Type.Object(
    {
      input_tokens: Type.Integer({ description: "Without those that were read from or written to a cache." }),
      cache_creation_input_tokens: Type.Integer(),
      cache_read_input_tokens: Type.Integer(),
      output_tokens: Type.Integer(),
    },
    { additionalProperties: true },
  ),
});
