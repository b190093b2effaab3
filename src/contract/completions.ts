import Type, { type Static } from "typebox";
import { CACHE_FIELDS } from "./cache.ts";
import { nullable } from "./schema.ts";

const TokenArray = Type.Array(Type.Integer({ minimum: 0 }));

/** The body of a text completion, as OpenAI's interface has it. Fields that are not listed pass through. */
export const CompletionRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512 }),
    prompt: Type.Union([Type.String(), Type.Array(Type.String()), TokenArray, Type.Array(TokenArray)]),
    best_of: nullable(Type.Integer({ minimum: 1 })),
    echo: nullable(Type.Boolean()),
    frequency_penalty: nullable(Type.Number()),
    logit_bias: nullable(Type.Record(Type.String(), Type.Number())),
    logprobs: nullable(Type.Integer({ minimum: 0 })),
    max_tokens: nullable(Type.Integer({ minimum: 0 })),
    n: nullable(Type.Integer({ minimum: 1 })),
    presence_penalty: nullable(Type.Number()),
    seed: nullable(Type.Integer()),
    stop: nullable(Type.Union([Type.String(), Type.Array(Type.String())])),
    stream: nullable(Type.Boolean()),
    stream_options: nullable(Type.Object({ include_usage: nullable(Type.Boolean()) }, { additionalProperties: true })),
    suffix: nullable(Type.String()),
    temperature: nullable(Type.Number()),
    top_p: nullable(Type.Number()),
    user: nullable(Type.String()),
    caching: nullable(Type.Boolean()),
    ...CACHE_FIELDS,
  },
  { additionalProperties: true },
);
export type CompletionRequest = Static<typeof CompletionRequest>;
