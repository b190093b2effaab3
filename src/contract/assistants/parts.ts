import Type, { type Static } from "typebox";
import { nullable } from "../schema.ts";

/** At most sixteen pairs of short texts, for the caller's own use. */
export const Metadata = Type.Unsafe<Readonly<Record<string, string>>>({
  type: "object",
  propertyNames: { maxLength: 64 },
  additionalProperties: { type: "string", maxLength: 512 },
  maxProperties: 16,
  description: "At most 16 pairs; names of up to 64 characters, values of up to 512.",
});
export type Metadata = Static<typeof Metadata>;

/** The id of something that was made here. */
export const RecordId = Type.String({ minLength: 1, maxLength: 64 });

const AnyObject = Type.Object({}, { additionalProperties: true });

const RankingOptions = Type.Object(
  {
    ranker: nullable(Type.String({ maxLength: 64 })),
    score_threshold: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  },
  { additionalProperties: true },
);

const FunctionTool = Type.Object({
  type: Type.Literal("function"),
  function: Type.Object(
    {
      name: Type.String({ pattern: "^[\\w-]{1,64}$" }),
      description: nullable(Type.String({ maxLength: 16_384 })),
      parameters: nullable(AnyObject),
      strict: nullable(Type.Boolean()),
    },
    { additionalProperties: true },
  ),
});

const FileSearchTool = Type.Object({
  type: Type.Literal("file_search"),
  file_search: nullable(
    Type.Object(
      {
        max_num_results: nullable(Type.Integer({ minimum: 1, maximum: 50 })),
        ranking_options: nullable(RankingOptions),
      },
      { additionalProperties: true },
    ),
  ),
});

const CodeInterpreterTool = Type.Object({ type: Type.Literal("code_interpreter") });

export const Tool = Type.Union([FunctionTool, FileSearchTool, CodeInterpreterTool]);
export type Tool = Static<typeof Tool>;
export type FileSearchTool = Static<typeof FileSearchTool>;
export const Tools = Type.Array(Tool, { maxItems: 128 });

export const ChunkingStrategy = Type.Union([
  Type.Object({ type: Type.Literal("auto") }),
  Type.Object({
    type: Type.Literal("static"),
    static: Type.Object({
      max_chunk_size_tokens: Type.Integer({ minimum: 100, maximum: 4096 }),
      chunk_overlap_tokens: Type.Integer({ minimum: 0, maximum: 2048 }),
    }),
  }),
]);
export type ChunkingStrategy = Static<typeof ChunkingStrategy>;

const CodeFiles = Type.Object({ file_ids: Type.Optional(Type.Array(RecordId, { maxItems: 20 })) });
const StoreIds = Type.Optional(Type.Array(RecordId, { maxItems: 1 }));

/** Which vector stores a file search looks into. */
export const ToolResources = Type.Object({
  code_interpreter: nullable(CodeFiles),
  file_search: nullable(Type.Object({ vector_store_ids: StoreIds })),
});
export type ToolResources = Static<typeof ToolResources>;

/** The same where something is made: a vector store can be made along with it. */
export const NewToolResources = Type.Object({
  code_interpreter: nullable(CodeFiles),
  file_search: nullable(
    Type.Object({
      vector_store_ids: StoreIds,
      vector_stores: Type.Optional(
        Type.Array(
          Type.Object({
            file_ids: Type.Optional(Type.Array(RecordId, { maxItems: 10_000 })),
            chunking_strategy: nullable(ChunkingStrategy),
            metadata: nullable(Metadata),
          }),
          { maxItems: 1 },
        ),
      ),
    }),
  ),
});
export type NewToolResources = Static<typeof NewToolResources>;

export const ResponseFormat = Type.Union([
  Type.Literal("auto"),
  Type.Object({ type: Type.Enum(["text", "json_object", "json_schema"]) }, { additionalProperties: true }),
]);
export type ResponseFormat = Static<typeof ResponseFormat>;

/** How a model answers, on an assistant and for one run. */
export const SAMPLING = {
  temperature: nullable(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  response_format: nullable(ResponseFormat),
  reasoning_effort: nullable(Type.Enum(["none", "minimal", "low", "medium", "high", "xhigh"])),
};

export const ModelName = Type.String({ minLength: 1, maxLength: 512 });
export const Instructions = Type.String({ maxLength: 256_000 });

const LIST_MAX = 100;

/** The query of a list that is read from one id to the next. */
export const CursorQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIST_MAX, description: `1 to ${LIST_MAX}; 20 unless told.` }),
  ),
  order: Type.Optional(Type.Enum(["asc", "desc"], { description: "By when it was made; `desc` unless told." })),
  after: Type.Optional({ ...RecordId, description: "The id of the last one that is known: what follows it." }),
  before: Type.Optional({ ...RecordId, description: "The id of the first one that is known: what comes before it." }),
});
export type CursorQuery = Static<typeof CursorQuery>;

/** A record that is gone. */
export const Deleted = Type.Object({
  id: Type.String(),
  object: Type.String(),
  deleted: Type.Boolean(),
});
