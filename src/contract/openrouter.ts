import Type, { type Static } from "typebox";
import { Usd } from "./gateway-admin/fields.ts";
import { nullable } from "./schema.ts";

/** What programs that know OpenRouter send and read: its names, USD as numbers, prices as text for one token. */
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const CountOrNull = Type.Union([Type.Integer(), Type.Null()]);
const UsdOrNull = Type.Union([Type.Number(), Type.Null()]);
const Filter = (description: string) => Type.Optional(Type.String({ maxLength: 500, description }));

export const RouterModelsQuery = Type.Object({
  output_modalities: Filter("`text` unless told; a list with commas, or `all`."),
  supported_parameters: Filter("Models that take all of these; a list with commas."),
});
export type RouterModelsQuery = Static<typeof RouterModelsQuery>;

const Architecture = Type.Object({
  modality: Type.String({ description: "Such as `text+image->text`." }),
  input_modalities: Type.Array(Type.String()),
  output_modalities: Type.Array(Type.String()),
  tokenizer: Type.String(),
  instruct_type: Type.Null(),
});

const Pricing = Type.Record(Type.String(), Type.String(), {
  description: "USD for one token, picture or request, as text, with the mark-up; `-1` where it is not known.",
});

export const RouterModel = Type.Object({
  id: Type.String({ description: "The name to call it by." }),
  canonical_slug: Type.String(),
  name: Type.String(),
  created: Type.Integer(),
  description: Type.String(),
  context_length: CountOrNull,
  architecture: Architecture,
  pricing: Pricing,
  top_provider: Type.Object({
    context_length: CountOrNull,
    max_completion_tokens: CountOrNull,
    is_moderated: Type.Boolean(),
  }),
  per_request_limits: Type.Null(),
  supported_parameters: Type.Array(Type.String()),
});
export type RouterModel = Static<typeof RouterModel>;

export const RouterEndpoints = Type.Object({
  ...Type.Pick(RouterModel, ["id", "name", "created", "description", "architecture"]).properties,
  endpoints: Type.Array(
    Type.Object({
      name: Type.String(),
      model_name: Type.String(),
      context_length: CountOrNull,
      pricing: Pricing,
      provider_name: Type.String(),
      tag: Type.String(),
      quantization: Type.Null(),
      max_completion_tokens: CountOrNull,
      max_prompt_tokens: CountOrNull,
      supported_parameters: Type.Array(Type.String()),
      status: Type.Integer({ description: "0 where it is well, below where it rests or fails." }),
      uptime_last_30m: Type.Null(),
    }),
  ),
});

/** What a key may spend and has spent, in USD. Days, weeks from Monday and months are those of UTC. */
const SPENDING = {
  label: Type.String(),
  limit: UsdOrNull,
  limit_remaining: UsdOrNull,
  limit_reset: Type.Union([Type.String(), Type.Null()], {
    description: "`daily`, `weekly`, `monthly`, here also `hourly`; null never.",
  }),
  usage: Type.Number(),
  usage_daily: Type.Number(),
  usage_weekly: Type.Number(),
  usage_monthly: Type.Number(),
  byok_usage: Type.Number(),
  byok_usage_daily: Type.Number(),
  byok_usage_weekly: Type.Number(),
  byok_usage_monthly: Type.Number(),
  include_byok_in_limit: Type.Boolean(),
  expires_at: TextOrNull,
  creator_user_id: TextOrNull,
};

export const RouterCurrentKey = Type.Object({
  ...SPENDING,
  is_free_tier: Type.Boolean(),
  is_provisioning_key: Type.Boolean(),
  is_management_key: Type.Boolean(),
});

export const RouterKey = Type.Object({
  hash: Type.String({ description: "By which the key is named; it opens nothing." }),
  name: Type.String(),
  ...SPENDING,
  disabled: Type.Boolean(),
  workspace_id: Type.String({ description: "The team." }),
  created_at: Type.String(),
  updated_at: Type.String(),
});
export type RouterKey = Static<typeof RouterKey>;

const WorkspaceId = Type.String({ minLength: 1, maxLength: 64, pattern: "^[^\\u0000]*$" });
const LIMIT_RESETS = ["daily", "weekly", "monthly"] as const;
const CHANGES = {
  limit: nullable(Usd),
  limit_reset: nullable(Type.Enum(LIMIT_RESETS, { description: "null: the limit is for all time." })),
  include_byok_in_limit: nullable(Type.Boolean({ description: "Has no effect: there are no keys of one's own." })),
};
const Name = Type.String({ minLength: 1, maxLength: 400, description: "1 to 100 characters." });

export const CreateRouterKeyBody = Type.Object({
  name: Name,
  ...CHANGES,
  expires_at: nullable(Type.String({ maxLength: 40, description: "A time in the future with its zone." })),
  workspace_id: nullable({
    ...WorkspaceId,
    description: "The team; the one called Default, or the first, unless told.",
  }),
});

export const UpdateRouterKeyBody = Type.Object({
  name: Type.Optional(Name),
  disabled: Type.Optional(Type.Boolean()),
  ...CHANGES,
});
export type RouterKeyChanges = Static<typeof UpdateRouterKeyBody>;

export const RouterKeysQuery = Type.Object({
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: "How many to leave out." })),
  include_disabled: Type.Optional(Type.Boolean({ description: "False unless told." })),
  workspace_id: Type.Optional({ ...WorkspaceId, description: "Only those of this team." }),
});

export const RouterCredits = Type.Object({
  total_credits: Type.Number({ description: "USD that were ever there: what is left and what was used." }),
  total_usage: Type.Number(),
});

export const RouterActivityQuery = Type.Object({
  date: Type.Optional(Type.String({ maxLength: 10, description: "A day of UTC, such as 2026-01-31." })),
  api_key_hash: Type.Optional(Type.String({ maxLength: 256, description: "Of this key alone, by its hash or id." })),
});

export const RouterActivity = Type.Object({
  date: Type.String({ description: "A day of UTC." }),
  model: Type.String(),
  model_permaslug: Type.String({ description: "The same." }),
  endpoint_id: Type.String({ description: "The provider." }),
  provider_name: Type.String(),
  usage: Type.Number({ description: "USD." }),
  byok_usage_inference: Type.Number(),
  requests: Type.Integer(),
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer(),
});

export const RouterProvider = Type.Object({
  name: Type.String(),
  slug: Type.String(),
  privacy_policy_url: Type.Null(),
  terms_of_service_url: Type.Null(),
  status_page_url: Type.Null(),
});

export const RouterGeneration = Type.Object({
  id: Type.String({ description: "As it was asked for." }),
  upstream_id: TextOrNull,
  total_cost: Type.Number(),
  usage: Type.Number({ description: "The same." }),
  upstream_inference_cost: Type.Null(),
  cache_discount: Type.Null(),
  created_at: Type.String(),
  model: Type.String(),
  provider_name: TextOrNull,
  api_type: Type.String(),
  is_byok: Type.Boolean(),
  streamed: Type.Boolean(),
  cancelled: Type.Boolean(),
  latency: CountOrNull,
  generation_time: CountOrNull,
  moderation_latency: Type.Null(),
  finish_reason: Type.Null({ description: "The log does not have it." }),
  native_finish_reason: Type.Null(),
  tokens_prompt: Type.Integer(),
  tokens_completion: Type.Integer(),
  native_tokens_prompt: Type.Integer(),
  native_tokens_completion: Type.Integer(),
  native_tokens_reasoning: Type.Integer(),
  native_tokens_cached: Type.Integer(),
  num_media_prompt: Type.Null(),
  num_media_completion: Type.Integer(),
  num_search_results: Type.Null(),
  external_user: TextOrNull,
  origin: Type.String(),
});
