import type { EchoCall } from "../call.ts";
import { createdSeconds } from "../call.ts";
import { eventStreamResponse } from "../event-stream.ts";
import { chatLogprob } from "../text/logprobs.ts";
import { textUsage } from "../text/usage.ts";
import type { Answer } from "./answer.ts";
import { answerChat } from "./answer.ts";
import type { ChatHead } from "./chunks.ts";
import { chatChunks } from "./chunks.ts";
import type { ChatRequest } from "./request.ts";
import { parseChatRequest } from "./request.ts";
import { newCall, newFunctionCall } from "./wire-calls.ts";

/** `POST /chat/completions`. */
export function chat(call: EchoCall): Response {
  const request = parseChatRequest(call.body);
  const answer = answerChat(request);
  const head: ChatHead = {
    id: `chatcmpl-${call.newId()}`,
    created: createdSeconds(call),
    model: request.model,
    system_fingerprint: "fp_echo",
    service_tier: "default",
  };
  if (request.isStream) return eventStreamResponse(chatChunks(request, answer, head, call.newId), call.pace);
  return Response.json({
    ...head,
    object: "chat.completion",
    choices: Array.from({ length: request.choices }, (_, index) => ({
      index,
      message: message(request, answer, call.newId),
      logprobs: logprobs(request, answer),
      finish_reason: answer.finish,
    })),
    usage: textUsage(request.promptTokens, answer.tokens * request.choices),
  });
}

function message(request: ChatRequest, answer: Answer, newId: () => string): object {
  const content = answer.calls.length > 0 ? null : answer.pieces.join("");
  return { role: "assistant", content, refusal: null, annotations: [], ...wireCalls(request, answer, newId) };
}

function wireCalls({ tools }: ChatRequest, { calls }: Answer, newId: () => string): object {
  const [first] = calls;
  if (first === undefined) return {};
  if (tools.form === "functions") return { function_call: newFunctionCall(first.name, first.inputPieces.join("")) };
  return { tool_calls: calls.map((call) => newCall(call, newId()).opening(call.inputPieces.join(""))) };
}

function logprobs({ topLogprobs }: ChatRequest, { pieces, calls }: Answer): object | null {
  if (topLogprobs === undefined || calls.length > 0) return null;
  return { content: pieces.map((piece) => chatLogprob(piece, topLogprobs)), refusal: null };
}
