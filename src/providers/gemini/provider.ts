import type { Provider } from "../dialect.ts";
import { geminiApi } from "./address.ts";
import { googleChat } from "./chat.ts";
import { geminiEmbedding } from "./embedding.ts";
import { classifyGoogle } from "./failure.ts";
import { googleParams, searchAmongFunctions } from "./params.ts";

/** Google's Gemini API, with a key from AI Studio. */
export const gemini: Provider = {
  id: "gemini",
  title: geminiApi.title,
  chat: googleChat(geminiApi),
  embedding: geminiEmbedding,
  supportedParams: googleParams,
  chatApi: () => "gemini",
  conflicting: searchAmongFunctions,
  messagesForm: () => "thinking",
  googleForm: () => true,
  classify: classifyGoogle(geminiApi.title),
};
