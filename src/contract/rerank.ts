import Type, { type Static } from "typebox";
import { CACHE_FIELDS } from "./cache.ts";
import { nullable } from "./schema.ts";

export const RerankRequest = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 512 }),
    query: Type.String(),
    documents: Type.Array(Type.Union([Type.String(), Type.Object({}, { additionalProperties: true })]), {
      minItems: 1,
    }),
    top_n: nullable(Type.Integer({ minimum: 1 })),
    rank_fields: nullable(Type.Array(Type.String())),
    return_documents: nullable(Type.Boolean()),
    max_chunks_per_doc: nullable(Type.Integer({ minimum: 1 })),
    max_tokens_per_doc: nullable(Type.Integer({ minimum: 1 })),
    user: nullable(Type.String()),
    caching: nullable(Type.Boolean()),
    ...CACHE_FIELDS,
  },
  { additionalProperties: true },
);
export type RerankRequest = Static<typeof RerankRequest>;

export interface RerankAnswer {
  readonly id: string;
  readonly results: readonly {
    readonly index: number;
    readonly relevance_score: number;
    readonly document?: { readonly text: string };
  }[];
  readonly meta?: Readonly<Record<string, unknown>>;
}
