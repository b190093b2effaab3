import type { ChatAnswer, ChatRequest, ToolCall } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts } from "../dialect.ts";
import { callId, finishReason, logprobItem, malformed, REASONING_BREAK } from "./answer.ts";
import { cohereUsage } from "./usage.ts";

export function decodeCohereChat(body: unknown, _request: ChatRequest, facts: AnswerFacts): ChatAnswer {
  if (!isRecord(body) || !isRecord(body.message)) throw malformed("has no message");
  const { message } = body;
  const id = typeof body.id === "string" ? body.id : facts.id;
  const blocks = blocksOf(message.content);
  const text = blocks.map(({ text }) => text).join("");
  const plan = typeof message.tool_plan === "string" ? message.tool_plan : "";
  const reasoning = [...blocks.map(({ thinking }) => thinking), plan].filter((words) => words !== "");
  const calls = callsOf(message.tool_calls, id);
  const finish = finishReason(body.finish_reason, calls.length > 0, body.error);
  const citations = Array.isArray(message.citations) ? message.citations : [];
  const logprobs = Array.isArray(body.logprobs) ? body.logprobs.map(logprobItem).filter((item) => item !== null) : [];
  const usage = cohereUsage(body.usage);
  return {
    id,
    object: "chat.completion",
    created: facts.createdSeconds,
    model: facts.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          ...(reasoning.length === 0 ? {} : { reasoning_content: reasoning.join(REASONING_BREAK) }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
          // Cohere cites documents by id, not pages by address, which is all that OpenAI's annotations can say.
          ...(citations.length === 0 ? {} : { provider_specific_fields: { citations } }),
        },
        finish_reason: finish,
        ...(logprobs.length === 0 ? {} : { logprobs: { content: logprobs, refusal: null } }),
      },
    ],
    ...(usage === null ? {} : { usage }),
  };
}

interface Block {
  readonly text: string;
  readonly thinking: string;
}

/** Blocks of a type that is not known hold no text and are passed over. */
function blocksOf(content: unknown): readonly Block[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ text: content, thinking: "" }];
  if (!Array.isArray(content)) throw malformed("has content of an unknown form");
  return content.filter(isRecord).map((block) => ({
    text: typeof block.text === "string" ? block.text : "",
    thinking: typeof block.thinking === "string" ? block.thinking : "",
  }));
}

function callsOf(calls: unknown, answerId: string): readonly ToolCall[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw malformed("has tool calls of an unknown form");
  return calls.map((call: unknown, index) => {
    const called = isRecord(call) ? call.function : null;
    if (!isRecord(call) || !isRecord(called) || typeof called.name !== "string") {
      throw malformed("has a tool call without a name");
    }
    const text = typeof called.arguments === "string" ? called.arguments : "";
    return {
      id: callId(call.id, answerId, index),
      type: "function",
      function: { name: called.name, arguments: text === "" ? "{}" : text },
    };
  });
}
