import Type, { type Static } from "typebox";
import { ChunkingStrategy, Metadata, ModelName, RecordId } from "../assistants/parts.ts";
import { nullable } from "../schema.ts";

const FILES_MAX = 500;
const ExpiresAfter = Type.Object({
  anchor: Type.Literal("last_active_at"),
  days: Type.Integer({ minimum: 1, maximum: 365 }),
});

/** Up to sixteen facts about a file, by which a search can be narrowed. */
export const Attributes = Type.Unsafe<Readonly<Record<string, string | number | boolean>>>({
  type: "object",
  propertyNames: { maxLength: 64 },
  additionalProperties: { anyOf: [{ type: "string", maxLength: 512 }, { type: "number" }, { type: "boolean" }] },
  maxProperties: 16,
});

const ABOUT = {
  name: nullable(Type.String({ maxLength: 256 })),
  description: nullable(Type.String({ maxLength: 512 })),
  expires_after: nullable(ExpiresAfter),
  metadata: nullable(Metadata),
};

export const CreateVectorStore = Type.Object({
  ...ABOUT,
  file_ids: nullable(Type.Array(RecordId, { maxItems: FILES_MAX })),
  chunking_strategy: nullable(ChunkingStrategy),
  embedding_model: nullable({
    ...ModelName,
    description: "The group that makes the vectors; the operator's unless told.",
  }),
});
export type CreateVectorStore = Static<typeof CreateVectorStore>;

export const UpdateVectorStore = Type.Object(ABOUT);

const ENTRY = { attributes: nullable(Attributes), chunking_strategy: nullable(ChunkingStrategy) };
export const AddFile = Type.Object({ file_id: RecordId, ...ENTRY });
export const UpdateFile = Type.Object({ attributes: Type.Union([Attributes, Type.Null()]) });

export const AddFiles = Type.Object({
  file_ids: nullable(Type.Array(RecordId, { minItems: 1, maxItems: FILES_MAX })),
  files: nullable(Type.Array(AddFile, { minItems: 1, maxItems: FILES_MAX })),
  ...ENTRY,
});

const Comparison = Type.Object({
  type: Type.Enum(["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin"]),
  key: Type.String({ maxLength: 64 }),
  value: Type.Union([
    Type.String({ maxLength: 512 }),
    Type.Number(),
    Type.Boolean(),
    Type.Array(Type.Union([Type.String({ maxLength: 512 }), Type.Number()]), { maxItems: 100 }),
  ]),
});
export type Comparison = Static<typeof Comparison>;

/** Compounds may be nested; they are read by hand, a few levels deep. */
export type Filter = Comparison | { readonly type: "and" | "or"; readonly filters: readonly Filter[] };
const Compound = Type.Object({
  type: Type.Enum(["and", "or"]),
  filters: Type.Array(
    Type.Union([
      Comparison,
      Type.Object({ type: Type.Enum(["and", "or"]), filters: Type.Array(Comparison, { maxItems: 100 }) }),
    ]),
    { maxItems: 100 },
  ),
});

const QueryText = Type.String({ minLength: 1, maxLength: 16_000 });
export const SearchVectorStore = Type.Object({
  query: Type.Union([QueryText, Type.Array(QueryText, { minItems: 1, maxItems: 10 })]),
  filters: nullable(Type.Union([Comparison, Compound])),
  max_num_results: nullable(Type.Integer({ minimum: 1, maximum: 50 })),
  ranking_options: nullable(
    Type.Object(
      {
        ranker: nullable(Type.String({ maxLength: 64 })),
        score_threshold: nullable(Type.Number({ minimum: 0, maximum: 1 })),
      },
      { additionalProperties: true },
    ),
  ),
  rewrite_query: nullable({
    ...Type.Boolean(),
    description: "Not served: a query is looked for as it is, and `true` is refused.",
  }),
});

const open = { additionalProperties: true };
export const VectorStoreAnswer = Type.Object({ id: Type.String(), object: Type.Literal("vector_store") }, open);
export const StoreFileAnswer = Type.Object({ id: Type.String(), object: Type.Literal("vector_store.file") }, open);
export const BatchAnswer = Type.Object({ id: Type.String(), object: Type.Literal("vector_store.files_batch") }, open);
export const SearchAnswer = Type.Object({ object: Type.String(), data: Type.Array(Type.Object({}, open)) }, open);
