import Type, { type Static } from "typebox";
import { RecordId } from "../assistants/parts.ts";

export const PURPOSES = ["assistants", "vision", "user_data", "batch", "fine-tune", "evals"] as const;
const Purpose = Type.Enum([...PURPOSES]);
/** What a file may be for; what batches write is uploaded by nobody. */
const KeptPurpose = Type.Enum([...PURPOSES, "batch_output"]);
export type Purpose = Static<typeof KeptPurpose>;

/** The form of an upload, for the API description; what its fields hold is read by hand. */
export const UploadForm = Type.Object({
  file: Type.String({ format: "binary" }),
  purpose: Purpose,
  "expires_after[anchor]": Type.Optional(Type.Literal("created_at")),
  "expires_after[seconds]": Type.Optional(Type.Integer({ minimum: 3600, maximum: 2_592_000 })),
});

export const FileQuery = Type.Object({
  purpose: Type.Optional(KeptPurpose),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: "10,000 unless told." })),
  order: Type.Optional(Type.Enum(["asc", "desc"])),
  after: Type.Optional(RecordId),
});

export const FileAnswer = Type.Object({
  id: Type.String(),
  object: Type.Literal("file"),
  bytes: Type.Integer(),
  created_at: Type.Integer(),
  expires_at: Type.Union([Type.Integer(), Type.Null()]),
  filename: Type.String(),
  purpose: Type.String(),
  status: Type.Literal("processed"),
  status_details: Type.Null(),
});
