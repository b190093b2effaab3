import { badRequest } from "../failure.ts";
import { schemaInstance } from "../schema/instance.ts";
import { cutPieces, cutText } from "../text/cut.ts";
import { tokenize } from "../text/tokenize.ts";
import type { Message } from "./messages.ts";
import type { ChatRequest } from "./request.ts";
import type { PlannedCall } from "./tools.ts";
import { planCalls } from "./tools.ts";

export interface AnsweredCall {
  readonly kind: PlannedCall["kind"];
  readonly name: string;
  readonly inputPieces: readonly string[];
}

/** One choice as it will be sent: either text or calls. `tokens` counts the pieces; a call's name is one of them. */
export interface Answer {
  readonly pieces: readonly string[];
  readonly calls: readonly AnsweredCall[];
  readonly finish: "stop" | "length" | "tool_calls" | "function_call";
  readonly tokens: number;
}

/** Every choice of a request is the same: echo has no chance in it. */
export function answerChat(request: ChatRequest): Answer {
  const userText = request.messages.findLast((message) => message.role === "user")?.text ?? "";
  const results = trailingResults(request.messages);
  const planned = planCalls(request.tools, userText, results.length > 0);
  if (planned.length > 0) return cutCalls(planned, request);
  const { pieces, finish } = cutText(say(request, userText, results), request.stops, request.tokensMax);
  return { pieces, calls: [], finish, tokens: pieces.length };
}

function say({ format }: ChatRequest, userText: string, results: readonly Message[]): string {
  if (format.type === "json_schema") {
    const value = schemaInstance(format.schema, results.at(-1)?.text ?? userText);
    if (value !== undefined) return JSON.stringify(value);
    throw badRequest("No value satisfies the given JSON schema.", "response_format", "invalid_json_schema");
  }
  const text =
    results.length > 0 ? quoteResults(results) : userText === "" ? "You said nothing." : `You said: ${userText}`;
  return format.type === "json_object" ? JSON.stringify({ echo: text }) : text;
}

/** The results that nobody has answered yet: several when the calls were parallel. */
function trailingResults(messages: readonly Message[]): readonly Message[] {
  const isResult = ({ role }: Message) => role === "tool" || role === "function";
  return messages.slice(messages.findLastIndex((message) => !isResult(message)) + 1);
}

function quoteResults(results: readonly Message[]): string {
  return results.map(({ toolName, text }) => `${toolName ?? "The tool"} answered: ${text}`).join("\n");
}

function cutCalls(planned: readonly PlannedCall[], { tokensMax, tools }: ChatRequest): Answer {
  const calls: AnsweredCall[] = [];
  let tokens = 0;
  let isCut = false;
  for (const { kind, name, input } of planned) {
    if (tokens >= tokensMax) {
      isCut = true;
      break;
    }
    const cut = cutPieces(tokenize(input), tokensMax - tokens - 1);
    isCut = cut.finish === "length";
    calls.push({ kind, name, inputPieces: cut.pieces });
    tokens += 1 + cut.pieces.length;
  }
  const finish = tools.form === "functions" ? "function_call" : "tool_calls";
  return { pieces: [], calls, finish: isCut ? "length" : finish, tokens };
}
