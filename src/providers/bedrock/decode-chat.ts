import type { ChatAnswer, ChatRequest, Message, ToolCall } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { usesFunctions } from "../anthropic/tools.ts";
import type { AnswerFacts } from "../dialect.ts";
import { findException } from "./failure.ts";
import { finishReason } from "./finish-reason.ts";
import { ANSWER_TOOL } from "./json-answer.ts";
import { brokenAnswer } from "./title.ts";
import { NO_TOOL } from "./tool-config.ts";
import { decodeUsage } from "./usage.ts";

export function decodeChat(body: unknown, request: ChatRequest, facts: AnswerFacts): ChatAnswer {
  const failure = findException(body);
  if (failure) throw failure;
  const said = readContent(contentOf(body));
  const called = said.calls.length === 0 ? null : usesFunctions(request) ? "function_call" : "tool_calls";
  const usage = isRecord(body) ? decodeUsage(body.usage) : null;
  const stopReason = isRecord(body) ? body.stopReason : null;
  return {
    id: facts.id,
    object: "chat.completion",
    created: facts.createdSeconds,
    model: facts.model,
    choices: [{ index: 0, message: message(said, called), finish_reason: finishReason(stopReason, called) }],
    ...(usage === null ? {} : { usage }),
  };
}

interface Said {
  text: string;
  /** The answer in JSON that a tool handed over. */
  json: string | null;
  reasoning: string;
  readonly thinking: Record<string, unknown>[];
  readonly calls: ToolCall[];
}

function contentOf(body: unknown): readonly unknown[] {
  const output = isRecord(body) ? body.output : null;
  const message = isRecord(output) ? output.message : null;
  const content = isRecord(message) ? message.content : null;
  if (!Array.isArray(content)) throw brokenAnswer("has no message");
  return content;
}

/** Blocks of kinds that are new to us are passed over. */
function readContent(content: readonly unknown[]): Said {
  const said: Said = { text: "", json: null, reasoning: "", thinking: [], calls: [] };
  for (const block of content) {
    if (!isRecord(block)) throw brokenAnswer("has a content block that is none");
    if (typeof block.text === "string") said.text += block.text;
    else if (isRecord(block.toolUse)) readCall(block.toolUse, said);
    else if (isRecord(block.reasoningContent)) readReasoning(block.reasoningContent, said);
    else if (isRecord(block.citationsContent)) said.text += citedText(block.citationsContent.content);
  }
  return said;
}

function readCall({ toolUseId, name, input }: Record<string, unknown>, said: Said): void {
  if (typeof toolUseId !== "string" || typeof name !== "string") throw brokenAnswer("has a tool call without a name");
  const text = JSON.stringify(input ?? {});
  if (name === ANSWER_TOOL) said.json ??= text;
  else if (name !== NO_TOOL) said.calls.push({ id: toolUseId, type: "function", function: { name, arguments: text } });
}

function readReasoning({ reasoningText, redactedContent }: Record<string, unknown>, said: Said): void {
  if (typeof redactedContent === "string") said.thinking.push({ type: "redacted_thinking", data: redactedContent });
  if (!isRecord(reasoningText) || typeof reasoningText.text !== "string") return;
  const { text, signature } = reasoningText;
  said.reasoning += text;
  if (typeof signature === "string" && signature !== "")
    said.thinking.push({ type: "thinking", thinking: text, signature });
}

function citedText(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.map((part) => (isRecord(part) && typeof part.text === "string" ? part.text : "")).join("");
}

/** Beside an answer in JSON, what the model said on the way to it would make the content no JSON. */
function message(said: Said, called: "tool_calls" | "function_call" | null): Message {
  const content = said.json ?? (said.text === "" ? null : said.text);
  return {
    role: "assistant",
    content,
    ...(said.reasoning === "" ? {} : { reasoning_content: said.reasoning }),
    ...(said.thinking.length === 0 ? {} : { thinking_blocks: said.thinking }),
    ...(called === "tool_calls" ? { tool_calls: said.calls } : {}),
    ...(called === "function_call" && said.calls[0] !== undefined ? { function_call: said.calls[0].function } : {}),
  };
}
