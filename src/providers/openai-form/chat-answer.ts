import type { ChatAnswer, FinishReason, ToolCall, Usage } from "../../contract/chat.ts";
import type { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { AnswerFacts } from "../dialect.ts";

/** What an upstream said in its only choice. */
interface Said {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly logprobs: readonly object[];
  readonly finish: FinishReason;
  readonly usage: Usage | null;
  /** Further fields of the message. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export const chatAnswer = (id: string, facts: AnswerFacts, said: Said): ChatAnswer => ({
  id,
  object: "chat.completion",
  created: facts.createdSeconds,
  model: facts.model,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: said.text === "" && said.calls.length > 0 ? null : said.text,
        ...(said.reasoning === "" ? {} : { reasoning_content: said.reasoning }),
        ...(said.calls.length === 0 ? {} : { tool_calls: said.calls }),
        ...said.more,
      },
      finish_reason: said.finish,
      ...(said.logprobs.length === 0 ? {} : { logprobs: { content: said.logprobs, refusal: null } }),
    },
  ],
  ...(said.usage === null ? {} : { usage: said.usage }),
});

/** The tool calls of a message; `before` counts those of the same answer that came earlier, for ids of our own. */
export function readCalls(
  calls: unknown,
  answerId: string,
  before: number,
  malformed: (what: string) => GatewayError,
): readonly ToolCall[] {
  if (calls === undefined || calls === null) return [];
  if (!Array.isArray(calls)) throw malformed("has tool calls of an unknown form");
  return calls.map((call: unknown, index) => {
    const called = isRecord(call) ? call.function : null;
    if (!isRecord(call) || !isRecord(called) || typeof called.name !== "string") {
      throw malformed("has a tool call without a name");
    }
    return {
      id: callId(call.id, answerId, before + index),
      type: "function",
      function: { name: called.name, arguments: argumentText(called.arguments) },
    };
  });
}

export const callId = (given: unknown, answerId: string, index: number): string =>
  typeof given === "string" && given !== "" ? given : `call_${answerId}_${index}`;

/** Some upstreams give arguments as an object, and none at all where a tool has no parameters. */
const argumentText = (given: unknown): string =>
  typeof given === "string" && given !== "" ? given : JSON.stringify(isRecord(given) ? given : {});
