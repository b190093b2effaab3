import Type, { type Static } from "typebox";
import { CACHE_FIELDS } from "./cache.ts";
import { nullable } from "./schema.ts";

const TokenArray = Type.Array(Type.Integer({ minimum: 0 }));

/** The contract's table, with the wider `input` of OpenAI's interface. */
export const EmbeddingRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512 }),
    input: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String()), TokenArray, Type.Array(TokenArray)])),
    dimensions: nullable(Type.Integer({ minimum: 1 })),
    encoding_format: nullable(Type.Enum(["float", "base64"])),
    timeout: Type.Optional(Type.Integer({ minimum: 1, default: 600 })),
    api_base: nullable(Type.String()),
    api_version: nullable(Type.String()),
    api_key: nullable(Type.String()),
    api_type: nullable(Type.String()),
    caching: Type.Optional(Type.Boolean({ default: false })),
    ...CACHE_FIELDS,
    user: nullable(Type.String()),
    custom_llm_provider: nullable(Type.Union([Type.String(), Type.Object({}, { additionalProperties: true })])),
    gw_call_id: nullable(Type.String()),
    gw_logging_obj: nullable(Type.Object({}, { additionalProperties: true })),
    logger_fn: nullable(Type.String()),
  },
  { additionalProperties: true },
);
export type EmbeddingRequest = Static<typeof EmbeddingRequest>;

export interface EmbeddingAnswer {
  readonly object: "list";
  readonly model: string;
  readonly data: readonly {
    readonly object: "embedding";
    readonly index: number;
    /** Base64 of little-endian float32 when the request says so. */
    readonly embedding: readonly number[] | string;
  }[];
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number };
}
