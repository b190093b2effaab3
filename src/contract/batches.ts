import Type, { type Static } from "typebox";
import { Metadata, RecordId } from "./assistants/parts.ts";
import { nullable } from "./schema.ts";

/** What the lines of a batch may call. */
export const BATCH_ENDPOINTS = [
  "/v1/chat/completions",
  "/v1/embeddings",
  "/v1/completions",
  "/v1/responses",
  "/v1/moderations",
] as const;
export type BatchEndpoint = (typeof BATCH_ENDPOINTS)[number];

export const BATCH_STATUSES = [
  "validating",
  "in_progress",
  "finalizing",
  "completed",
  "failed",
  "expired",
  "cancelling",
  "cancelled",
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export const CreateBatch = Type.Object({
  input_file_id: RecordId,
  endpoint: Type.String({ maxLength: 200, description: `One of ${BATCH_ENDPOINTS.join(", ")}.` }),
  completion_window: Type.String({ maxLength: 16, description: "`24h`." }),
  metadata: nullable(Metadata),
  output_expires_after: nullable(
    Type.Object({
      anchor: Type.Literal("created_at"),
      seconds: Type.Integer({ minimum: 3600, maximum: 2_592_000 }),
    }),
  ),
});
export type CreateBatch = Static<typeof CreateBatch>;

export const BatchQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "20 unless told." })),
  after: Type.Optional(RecordId),
});

const Time = Type.Union([Type.Integer(), Type.Null()]);
const FileId = Type.Union([Type.String(), Type.Null()]);

export type BatchAnswer = Static<typeof BatchAnswer>;
export const BatchAnswer = Type.Object({
  id: Type.String(),
  object: Type.Literal("batch"),
  endpoint: Type.String(),
  errors: Type.Union([
    Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(
        Type.Object({
          code: Type.String(),
          message: Type.String(),
          param: Type.Union([Type.String(), Type.Null()]),
          line: Type.Union([Type.Integer(), Type.Null()]),
        }),
      ),
    }),
    Type.Null(),
  ]),
  input_file_id: Type.String(),
  completion_window: Type.String(),
  status: Type.Enum([...BATCH_STATUSES]),
  output_file_id: FileId,
  error_file_id: FileId,
  created_at: Type.Integer(),
  in_progress_at: Time,
  expires_at: Time,
  finalizing_at: Time,
  completed_at: Time,
  failed_at: Time,
  expired_at: Time,
  cancelling_at: Time,
  cancelled_at: Time,
  request_counts: Type.Object({ total: Type.Integer(), completed: Type.Integer(), failed: Type.Integer() }),
  metadata: Type.Union([Metadata, Type.Null()]),
});
