import Type from "typebox";
import { Metadata } from "./assistants/parts.ts";
import { Item } from "./responses.ts";
import { nullable } from "./schema.ts";

/** So many are put in at a time. */
const maxItems = 20;

export const CreateConversation = Type.Object(
  { items: nullable(Type.Array(Item, { maxItems })), metadata: nullable(Metadata) },
  { examples: [{ items: [{ type: "message", role: "user", content: "Hello!" }], metadata: { topic: "demo" } }] },
);
export const UpdateConversation = Type.Object({ metadata: nullable(Metadata) });
export const AddItems = Type.Object(
  { items: Type.Array(Item, { minItems: 1, maxItems }) },
  { examples: [{ items: [{ type: "message", role: "user", content: "How are you?" }] }] },
);

export const ConversationAnswer = Type.Object({
  id: Type.String(),
  object: Type.Literal("conversation"),
  created_at: Type.Integer(),
  metadata: Metadata,
});
