import Type, { type Static } from "typebox";
import { nullable } from "../schema.ts";
import { Instructions, Metadata, ModelName, NewToolResources, SAMPLING, ToolResources, Tools } from "./parts.ts";

const ABOUT = {
  name: nullable(Type.String({ maxLength: 256 })),
  description: nullable(Type.String({ maxLength: 512 })),
  instructions: nullable(Instructions),
  metadata: nullable(Metadata),
  ...SAMPLING,
};

export const CreateAssistant = Type.Object(
  { model: ModelName, ...ABOUT, tools: nullable(Tools), tool_resources: nullable(NewToolResources) },
  { examples: [{ model: "echo", name: "Helper", instructions: "You are a helpful assistant." }] },
);
export type CreateAssistant = Static<typeof CreateAssistant>;

/** What is left out stays as it is. */
export const UpdateAssistant = Type.Object({
  model: nullable(ModelName),
  ...ABOUT,
  tools: nullable(Tools),
  tool_resources: nullable(ToolResources),
});
export type UpdateAssistant = Static<typeof UpdateAssistant>;

export const AssistantAnswer = Type.Object(
  { id: Type.String(), object: Type.Literal("assistant"), created_at: Type.Integer(), model: Type.String() },
  { additionalProperties: true },
);
