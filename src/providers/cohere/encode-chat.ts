import type { ChatRequest } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import type { Target, UpstreamRequest } from "../dialect.ts";
import { extraFields } from "../extra-fields.ts";
import { messagesOf } from "../openai-form/messages.ts";
import { offeredTools, toolChoice, toolsUnder } from "../openai-form/tools.ts";
import { type AnswerForm, answerForm, reasoningEffort, stopList, tokensMax } from "../openai-form/wishes.ts";
import { cohereMessages } from "./messages.ts";
import { cohereRequest } from "./requests.ts";

/** Tokens of thinking by effort. Cohere advises against a limit, so a high effort has none. */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ["minimal", 512],
  ["low", 2048],
  ["medium", 8192],
]);

export function encodeCohereChat(request: ChatRequest, target: Target): UpstreamRequest {
  const fields: Readonly<Record<string, unknown>> = request;
  const { top_k: topK, thinking, ...extra } = extraFields("chat", fields);
  const choice = toolChoice(request);
  const tools = toolsUnder(choice, offeredTools(request));
  const form = answerForm(request);
  // Cohere refuses a response format beside tools or documents; then the wish is put in words, which binds less.
  const inWords = form !== "text" && (tools.length > 0 || fields.documents != null);
  return cohereRequest(target, "chat", {
    messages: cohereMessages(messagesOf(request), inWords ? wordsFor(form) : null),
    stream: request.stream === true,
    tools: tools.length === 0 ? undefined : tools.map(cohereTool),
    strict_tools: tools.length > 0 && tools.every(({ strict }) => strict) ? true : undefined,
    // Without a choice the model is free; a single tool is chosen by offering no other.
    tool_choice: choice === "auto" || tools.length === 0 ? undefined : choice === "none" ? "NONE" : "REQUIRED",
    response_format: form === "text" || inWords ? undefined : responseFormat(form),
    documents: fields.documents ?? undefined,
    max_tokens: tokensMax(request),
    stop_sequences: stopList(request),
    temperature: request.temperature ?? undefined,
    p: probabilityMass(request.top_p),
    k: topK,
    seed: request.seed ?? undefined,
    frequency_penalty: request.frequency_penalty ?? undefined,
    presence_penalty: request.presence_penalty ?? undefined,
    logprobs: request.logprobs === true ? true : undefined,
    thinking: isRecord(thinking) ? thinkingOf(thinking) : thinkingFor(reasoningEffort(request)),
    ...extra,
  });
}

const cohereTool = ({ name, description, parameters }: ReturnType<typeof offeredTools>[number]) => ({
  type: "function",
  function: { name, ...(description === null ? {} : { description }), parameters },
});

const responseFormat = (form: Exclude<AnswerForm, "text">) =>
  form === "json" ? { type: "json_object" } : { type: "json_object", json_schema: form.schema };

const wordsFor = (form: Exclude<AnswerForm, "text">): string =>
  form === "json"
    ? "Give your final answer as one JSON object and nothing else."
    : `Give your final answer as JSON that fits this JSON schema, and nothing else: ${JSON.stringify(form.schema)}`;

/** Cohere takes 0.01 to 0.99; many clients send 1, which means the same as its largest value. */
const probabilityMass = (topP: number | null | undefined): number | undefined =>
  topP == null ? undefined : Math.min(0.99, Math.max(0.01, topP));

function thinkingFor(effort: string | null): object | undefined {
  if (effort === null) return undefined;
  if (effort === "none") return { type: "disabled" };
  const budget = BUDGETS.get(effort);
  return { type: "enabled", ...(budget === undefined ? {} : { token_budget: budget }) };
}

/** The caller's own setting; its budget may have the name that Anthropic's users write. */
function thinkingOf({ budget_tokens: budget, ...thinking }: Record<string, unknown>): object {
  return budget === undefined ? thinking : { token_budget: budget, ...thinking };
}
