import type { ChatRequest } from "../../contract/chat.ts";
import type { Target, UpstreamRequest } from "../dialect.ts";
import { messagesOf } from "../openai-form/messages.ts";
import {
  insistence,
  type OfferedTool,
  offeredTools,
  type ToolChoice,
  toolChoice,
  toolsUnder,
} from "../openai-form/tools.ts";
import { answerForm, reasoningEffort } from "../openai-form/wishes.ts";
import { ollamaMessages } from "./messages.ts";
import { chatSettings } from "./options.ts";
import { ollamaRequest } from "./requests.ts";

export function encodeOllamaChat(request: ChatRequest, target: Target): UpstreamRequest {
  const choice = toolChoice(request);
  const tools = choice === "none" ? [] : toolsUnder(choice, offeredTools(request));
  const form = answerForm(request);
  const { options, fields } = chatSettings(request);
  const { top_logprobs: topLogprobs }: Readonly<Record<string, unknown>> = request;
  return ollamaRequest(target, "chat", {
    messages: [...ollamaMessages(messagesOf(request)), ...insisting(choice, tools)],
    stream: request.stream === true,
    tools: tools.length === 0 ? undefined : tools.map(ollamaTool),
    format: form === "text" ? undefined : form === "json" ? "json" : form.schema,
    think: thinkFor(reasoningEffort(request)),
    logprobs: request.logprobs === true ? true : undefined,
    top_logprobs: topLogprobs ?? undefined,
    options,
    ...fields,
  });
}

const ollamaTool = ({ name, description, parameters }: OfferedTool) => ({
  type: "function",
  function: { name, ...(description === null ? {} : { description }), parameters },
});

/** Ollama cannot be told that a tool must be called. */
const insisting = (choice: ToolChoice, tools: readonly OfferedTool[]): readonly object[] =>
  tools.length === 0 || choice === "auto" || choice === "none" ? [] : [insistence(choice)];

/** Ollama has four levels; `high` is the strongest that every version and model knows. */
function thinkFor(effort: string | null): string | boolean | undefined {
  if (effort === null) return undefined;
  if (effort === "none") return false;
  if (effort === "minimal" || effort === "low") return "low";
  return effort === "medium" ? "medium" : "high";
}
