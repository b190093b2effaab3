import type { FinishReason, ToolCall, Usage } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { readCalls } from "../openai-form/chat-answer.ts";
import { hasFailure, innerFailure } from "../openai-form/inner-failure.ts";
import { tokenCount } from "../openai-form/token-count.ts";
import { classifyOllama, ollamaError } from "./failure.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One object of an answer: the whole of it, or a line of a stream. */
export interface Line {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly ToolCall[];
  readonly logprobs: readonly object[];
  readonly isDone: boolean;
  readonly doneReason: unknown;
  readonly usage: Usage;
}

/** `callsBefore` numbers the calls through a stream, for the ids of those that have none. */
export function readLine(body: unknown, answerId: string, callsBefore: number): Line {
  if (!isRecord(body)) throw malformed("is not an object");
  if (typeof body.error === "string") throw ollamaError(body.error);
  if (hasFailure(body)) throw innerFailure(body, { classify: classifyOllama });
  if (!isRecord(body.message)) throw malformed("has no message");
  const { message } = body;
  return {
    text: typeof message.content === "string" ? message.content : "",
    thinking: typeof message.thinking === "string" ? message.thinking : "",
    calls: readCalls(message.tool_calls, answerId, callsBefore, malformed),
    logprobs: Array.isArray(body.logprobs) ? body.logprobs.filter(isRecord).map(logprobItem) : [],
    isDone: body.done === true,
    doneReason: body.done_reason,
    usage: usageOf(body),
  };
}

/** `load` and `unload` answer a request without messages: there is nothing to say, and it was said. */
export function finishReason(reason: unknown, hasCalls: boolean): FinishReason {
  if (reason === "length") return "length";
  return hasCalls ? "tool_calls" : "stop";
}

/** Ollama leaves counts of nothing out. */
function usageOf(body: Fields): Usage {
  const prompt = tokenCount(body.prompt_eval_count);
  const completion = tokenCount(body.eval_count);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function logprobItem(item: Fields): object {
  const alternatives = Array.isArray(item.top_logprobs) ? item.top_logprobs.filter(isRecord) : [];
  return { ...tokenOf(item), top_logprobs: alternatives.map(tokenOf) };
}

const tokenOf = ({ token, logprob, bytes }: Fields) => ({
  token: typeof token === "string" ? token : "",
  logprob: typeof logprob === "number" ? logprob : 0,
  bytes: Array.isArray(bytes) ? bytes : null,
});

export const malformed = (what: string): GatewayError => new GatewayError("upstream", `Ollama's answer ${what}.`);
