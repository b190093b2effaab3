import type { Provider } from "../dialect.ts";
import { bedrockChat } from "./chat.ts";
import { bedrockEmbedding } from "./embedding.ts";
import { classifyBedrock } from "./failure.ts";
import { parseModel } from "./model.ts";
import { supportedParams } from "./params.ts";
import { TITLE } from "./title.ts";

export const bedrock: Provider = {
  id: "bedrock",
  title: TITLE,
  chat: bedrockChat,
  embedding: bedrockEmbedding,
  supportedParams,
  chatApi: () => "bedrock",
  messagesForm: (model) => (parseModel(model).family === "claude" ? "thinking" : null),
  classify: classifyBedrock,
};
