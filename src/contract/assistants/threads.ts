import Type, { type Static } from "typebox";
import { nullable } from "../schema.ts";
import { Metadata, NewToolResources, RecordId, ToolResources } from "./parts.ts";

const TEXT_MAX = 256_000;
const Detail = nullable(Type.Enum(["auto", "low", "high"]));

const ContentPart = Type.Union([
  Type.Object({ type: Type.Literal("text"), text: Type.String({ minLength: 1, maxLength: TEXT_MAX }) }),
  Type.Object({
    type: Type.Literal("image_url"),
    image_url: Type.Object({ url: Type.String({ pattern: "^https?://", maxLength: 8192 }), detail: Detail }),
  }),
  Type.Object({ type: Type.Literal("image_file"), image_file: Type.Object({ file_id: RecordId, detail: Detail }) }),
]);
export type ContentPart = Static<typeof ContentPart>;

const Attachment = Type.Object({
  file_id: RecordId,
  tools: nullable(
    Type.Array(Type.Object({ type: Type.Enum(["file_search", "code_interpreter"]) }), { minItems: 1, maxItems: 2 }),
  ),
});
export type Attachment = Static<typeof Attachment>;

export const CreateMessage = Type.Object(
  {
    role: Type.Enum(["user", "assistant"]),
    content: Type.Union([
      Type.String({ minLength: 1, maxLength: TEXT_MAX }),
      Type.Array(ContentPart, { minItems: 1, maxItems: 100 }),
    ]),
    attachments: nullable(Type.Array(Attachment, { maxItems: 500 })),
    metadata: nullable(Metadata),
  },
  { examples: [{ role: "user", content: "Hello!" }] },
);
export type CreateMessage = Static<typeof CreateMessage>;

export const UpdateMessage = Type.Object({ metadata: nullable(Metadata) });

export const CreateThread = Type.Object({
  messages: nullable(Type.Array(CreateMessage, { maxItems: 1000 })),
  metadata: nullable(Metadata),
  tool_resources: nullable(NewToolResources),
});
export type CreateThread = Static<typeof CreateThread>;

export const UpdateThread = Type.Object({ metadata: nullable(Metadata), tool_resources: nullable(ToolResources) });

export const ThreadAnswer = Type.Object(
  { id: Type.String(), object: Type.Literal("thread"), created_at: Type.Integer() },
  { additionalProperties: true },
);

export const MessageAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal("thread.message"),
    created_at: Type.Integer(),
    thread_id: Type.String(),
    role: Type.Enum(["user", "assistant"]),
    content: Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true })),
  },
  { additionalProperties: true },
);
