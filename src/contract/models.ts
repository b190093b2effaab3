import Type, { type Static, type TSchema } from "typebox";
import { ChatMessage } from "./chat.ts";
import { GooglePage } from "./generate-content.ts";
import { nullable } from "./schema.ts";

const AnyObject = Type.Record(Type.String(), Type.Unknown());
const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** A date that says nothing: clients expect one, and a name in a configuration has none. */
export const MODEL_CREATED_SECONDS = 1_677_610_602;

export const ModelEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal("model"),
  created: Type.Integer(),
  owned_by: Type.String({ description: "The provider that serves it." }),
  metadata: Type.Optional(Type.Object({ fallbacks: Type.Array(Type.String()) })),
});
export type ModelEntry = Static<typeof ModelEntry>;

export const ModelList = Type.Object({ object: Type.Literal("list"), data: Type.Array(ModelEntry) });

export const ANTHROPIC_PAGE = 20;

/** A model as Anthropic's clients list it. */
export const AnthropicModel = Type.Object({
  type: Type.Literal("model"),
  id: Type.String(),
  display_name: Type.String(),
  created_at: Type.String(),
  max_input_tokens: orNull(Type.Integer()),
  max_tokens: orNull(Type.Integer()),
});
export type AnthropicModel = Static<typeof AnthropicModel>;

const AnthropicPage = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: `In Anthropic's form (default ${ANTHROPIC_PAGE}).` }),
  ),
  after_id: Type.Optional(Type.String({ description: "In Anthropic's form: the models after this one." })),
  before_id: Type.Optional(Type.String({ description: "In Anthropic's form: the models before this one." })),
});
export type AnthropicPage = Static<typeof AnthropicPage>;

const flag = (description: string) =>
  Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { default: false, description }));

export const ListModelsQuery = Type.Object({
  return_wildcard_routes: flag("Include wildcard routes, such as `openai/*`."),
  team_id: nullable(Type.String({ description: "Restrict to a team that the key belongs to." })),
  include_model_access_groups: flag("Include the names of access groups."),
  only_model_access_groups: flag("Only the names of access groups."),
  include_metadata: flag("Include the fallbacks of each model."),
  fallback_type: nullable(
    Type.String({ description: "`general` (default), `context_window` or `content_policy`; with `include_metadata`." }),
  ),
  scope: nullable(Type.String({ description: "Only `expand`: administrators see every model." })),
  ...GooglePage.properties,
  ...AnthropicPage.properties,
});
export type ListModelsQuery = Static<typeof ListModelsQuery>;

export const FALLBACK_TYPES = ["general", "context_window", "content_policy"] as const;
export type FallbackType = (typeof FALLBACK_TYPES)[number];

export const ModelInfoEntry = Type.Object({
  model_name: Type.String({ description: "The group." }),
  litellm_params: Type.Object(
    {
      model: Type.String(),
      api_base: Type.Optional(Type.String({ description: "Shown to the master key, without anything secret in it." })),
    },
    { additionalProperties: true },
  ),
  model_info: Type.Object({ id: Type.String(), db_model: Type.Boolean() }, { additionalProperties: true }),
  blocked: Type.Optional(Type.Literal(true, { description: "Shown to the master key: it cannot be called." })),
});
export type ModelInfoEntry = Static<typeof ModelInfoEntry>;

export const ModelGroupEntry = Type.Object({
  model_group: Type.String(),
  providers: Type.Array(Type.String()),
  max_input_tokens: orNull(Type.Number()),
  max_output_tokens: orNull(Type.Number()),
  input_cost_per_token: orNull(Type.Number({ description: "USD; null where it is not known, 0 where it is free." })),
  output_cost_per_token: orNull(Type.Number()),
  mode: orNull(Type.String()),
  tpm: orNull(Type.Integer()),
  rpm: orNull(Type.Integer()),
  supports_parallel_function_calling: Type.Boolean(),
  supports_vision: Type.Boolean(),
  supports_function_calling: Type.Boolean(),
  supports_reasoning: Type.Boolean(),
  supports_web_search: Type.Boolean(),
  supports_url_context: Type.Boolean(),
  supported_openai_params: Type.Array(Type.String(), {
    description: "What every deployment of the group honours, so that it does not matter which one serves a call.",
  }),
  configurable_clientside_auth_params: orNull(Type.Array(Type.Unknown())),
  is_public_model_group: Type.Boolean(),
  health_status: orNull(Type.Enum(["healthy", "unhealthy"], { description: "Of the last background checks." })),
  health_response_time: orNull(Type.Number({ description: "Milliseconds." })),
  health_checked_at: orNull(Type.String()),
});
export type ModelGroupEntry = Static<typeof ModelGroupEntry>;

export const TokenCountRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512 }),
    prompt: nullable(Type.String()),
    messages: nullable(Type.Array(ChatMessage)),
    contents: nullable(Type.Array(AnyObject, { description: "The turns as Google's interface writes them." })),
    tools: nullable(Type.Array(AnyObject)),
    system: Type.Optional(Type.Unknown({ description: "A text, or a list of text blocks." })),
  },
  { examples: [{ model: "echo", messages: [{ role: "user", content: "Hello!" }] }] },
);
export type TokenCountRequest = Static<typeof TokenCountRequest>;

export const TokenCountResponse = Type.Object({
  total_tokens: Type.Integer(),
  request_model: Type.String(),
  model_used: Type.String(),
  tokenizer_type: Type.String({ description: "`openai_tokenizer`, or `<provider>_api` where the provider counted." }),
  original_response: orNull(Type.Unknown()),
  error: Type.Boolean(),
  error_message: orNull(Type.String()),
  status_code: orNull(Type.Integer()),
});
export type TokenCountResponse = Static<typeof TokenCountResponse>;

const TRANSFORM_CALL_TYPES = [
  "completion",
  "acompletion",
  "text_completion",
  "atext_completion",
  "embedding",
  "aembedding",
  "image_generation",
  "aimage_generation",
  "speech",
  "aspeech",
  "rerank",
  "arerank",
  "moderation",
  "amoderation",
] as const;
export type TransformCallType = (typeof TRANSFORM_CALL_TYPES)[number];

export const TransformRequestBody = Type.Object(
  { call_type: Type.Enum([...TRANSFORM_CALL_TYPES]), request_body: AnyObject },
  {
    examples: [
      { call_type: "completion", request_body: { model: "echo", messages: [{ role: "user", content: "Hello!" }] } },
    ],
  },
);

export const RawRequest = Type.Object({
  raw_request_api_base: orNull(Type.String({ description: "The address, with the master key; null for other keys." })),
  raw_request_body: orNull(Type.Unknown()),
  raw_request_headers: orNull(Type.Record(Type.String(), Type.String())),
  error: orNull(Type.String()),
});
export type RawRequest = Static<typeof RawRequest>;
