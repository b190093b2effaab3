import Type, { type Static } from "typebox";
import { Metadata, RecordId } from "./assistants/parts.ts";
import { CACHE_FIELDS } from "./cache.ts";
import { nullable } from "./schema.ts";

const AnyObject = Type.Object({}, { additionalProperties: true });

/** Something that was said, called or thought. A message may leave its type out. */
export const Item = Type.Unsafe<ResponseItem>(
  Type.Object({ type: nullable(Type.String()) }, { additionalProperties: true }),
);

const Tool = Type.Unsafe<ResponseTool>(Type.Object({ type: Type.String() }, { additionalProperties: true }));

/** The body of OpenAI's responses. Fields that are not listed here are taken as those of a chat are. */
export const ResponseRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512 }),
    input: nullable(Type.Union([Type.String(), Type.Array(Item, { maxItems: 50_000 })])),
    instructions: nullable(Type.String()),
    previous_response_id: nullable(RecordId),
    store: nullable(Type.Boolean({ description: "Kept for 30 days unless told otherwise." })),
    stream: nullable(Type.Boolean()),
    max_output_tokens: nullable(Type.Integer({ minimum: 1 })),
    max_tool_calls: nullable(Type.Integer({ minimum: 1 })),
    temperature: nullable(Type.Number()),
    top_p: nullable(Type.Number()),
    top_logprobs: nullable(Type.Integer({ minimum: 0 })),
    tools: nullable(Type.Array(Tool)),
    tool_choice: nullable(Type.Union([Type.String(), AnyObject])),
    parallel_tool_calls: nullable(Type.Boolean()),
    reasoning: nullable(
      Type.Object(
        { effort: nullable(Type.String()), summary: nullable(Type.String()) },
        { additionalProperties: true },
      ),
    ),
    text: nullable(
      Type.Object({ format: nullable(AnyObject), verbosity: nullable(Type.String()) }, { additionalProperties: true }),
    ),
    include: nullable(Type.Array(Type.String())),
    metadata: nullable(Metadata),
    truncation: nullable(Type.String()),
    background: nullable(
      Type.Boolean({ description: "Answered at once, carried out without the connection, and kept." }),
    ),
    conversation: nullable(
      Type.Union([RecordId, Type.Object({ id: RecordId }, { additionalProperties: true })], {
        description: "Goes on from what was said in it, and is put behind that.",
      }),
    ),
    prompt: nullable(AnyObject),
    user: nullable(Type.String()),
    safety_identifier: nullable(Type.String()),
    prompt_cache_key: nullable(Type.String()),
    service_tier: nullable(Type.String()),
    stream_options: nullable(AnyObject),
    caching: nullable(Type.Boolean()),
    ...CACHE_FIELDS,
  },
  { additionalProperties: true, examples: [{ model: "echo", input: "Hello!" }] },
);
export type ResponseRequest = Static<typeof ResponseRequest>;

export interface ResponseItem {
  readonly type?: string | null;
  readonly [field: string]: unknown;
}

export interface ResponseTool {
  readonly type: string;
  readonly [field: string]: unknown;
}

const ResponseUsage = Type.Object({
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Object({ cached_tokens: Type.Integer(), cache_write_tokens: Type.Integer() }),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
  total_tokens: Type.Integer(),
});
export type ResponseUsage = Static<typeof ResponseUsage>;

/** An answer, as far as it is described here; what was asked for stands in it, too. */
export const ResponseAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("response"),
    created_at: Type.Integer(),
    status: Type.Enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
    model: Type.String(),
    output: Type.Array(Item),
    usage: Type.Union([ResponseUsage, Type.Null()]),
    error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
    incomplete_details: Type.Union([Type.Object({ reason: Type.String() }), Type.Null()]),
    previous_response_id: Type.Union([Type.String(), Type.Null()]),
    conversation: Type.Union([Type.Object({ id: Type.String() }), Type.Null()]),
    store: Type.Boolean(),
  },
  { additionalProperties: true },
);
export type ResponseAnswer = Static<typeof ResponseAnswer> & { readonly [field: string]: unknown };

export const ResponseItems = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(Item),
  first_id: Type.Union([Type.String(), Type.Null()]),
  last_id: Type.Union([Type.String(), Type.Null()]),
  has_more: Type.Boolean(),
});

export const ResponseInputTokens = Type.Object({
  object: Type.Literal("response.input_tokens"),
  input_tokens: Type.Integer({ minimum: 0 }),
});
