import { anthropic } from "../anthropic/provider.ts";
import type { Provider } from "../dialect.ts";
import { classifyGoogle } from "../gemini/failure.ts";
import { googleParams, searchAmongFunctions } from "../gemini/params.ts";
import { TITLE } from "./address.ts";
import { vertexChat } from "./chat.ts";
import { isClaude } from "./claude.ts";
import { vertexEmbedding } from "./embedding.ts";

/** Google Cloud's place for models: Google's own and Anthropic's, with a service account. */
export const vertexAi: Provider = {
  id: "vertex_ai",
  title: TITLE,
  chat: vertexChat,
  embedding: vertexEmbedding,
  supportedParams: (operation, model) =>
    isClaude(model) ? anthropic.supportedParams(operation, model) : googleParams(operation, model),
  unsupportedValue: (fields, model) => (isClaude(model) ? (anthropic.unsupportedValue?.(fields, model) ?? null) : null),
  chatApi: (model) => (isClaude(model) ? "anthropic" : "gemini"),
  conflicting: (fields, model) =>
    isClaude(model) ? (anthropic.conflicting?.(fields, model) ?? []) : searchAmongFunctions(fields),
  messagesForm: (model) => (isClaude(model) ? "whole" : "thinking"),
  googleForm: (model) => !isClaude(model),
  classify: classifyGoogle(TITLE),
};
