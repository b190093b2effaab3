import type { StreamEvent } from "../event-stream.ts";
import { chatLogprob } from "../text/logprobs.ts";
import { textUsage } from "../text/usage.ts";
import type { Answer } from "./answer.ts";
import type { ChatRequest } from "./request.ts";
import { newCall, newFunctionCall } from "./wire-calls.ts";

export interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint: string;
  readonly service_tier: string;
}

interface Step {
  readonly delta: unknown;
  readonly isPiece: boolean;
  readonly logprobs?: unknown;
  readonly finish?: Answer["finish"];
}

/** The chunks of one streamed answer: all choices in turn, a piece of each at a time. */
export function* chatChunks(
  request: ChatRequest,
  answer: Answer,
  head: ChatHead,
  newId: () => string,
): Generator<StreamEvent> {
  const chunk = (choices: readonly unknown[], usage: unknown) => ({
    ...head,
    object: "chat.completion.chunk",
    choices,
    ...(request.includeUsage ? { usage } : {}),
  });
  const choices = Array.from({ length: request.choices }, () => choiceSteps(request, answer, newId));
  for (const { index, step } of inTurn(choices)) {
    const { delta, logprobs = null, finish = null } = step;
    const data = chunk([{ index, delta, logprobs, finish_reason: finish }], null);
    yield { data, isPiece: step.isPiece };
  }
  if (!request.includeUsage) return;
  yield { data: chunk([], textUsage(request.promptTokens, answer.tokens * request.choices)), isPiece: false };
}

function* inTurn(choices: readonly Iterator<Step>[]): Generator<{ readonly index: number; readonly step: Step }> {
  let open = choices.map((steps, index) => ({ steps, index }));
  while (open.length > 0) {
    const stillOpen: typeof open = [];
    for (const choice of open) {
      const next = choice.steps.next();
      if (next.done === true) continue;
      yield { index: choice.index, step: next.value };
      stillOpen.push(choice);
    }
    open = stillOpen;
  }
}

function* choiceSteps(request: ChatRequest, answer: Answer, newId: () => string): Generator<Step> {
  const content = answer.calls.length > 0 ? null : "";
  yield { delta: { role: "assistant", content, refusal: null }, isPiece: false };
  for (const piece of answer.pieces) {
    const logprobs = textLogprobs(piece, request.topLogprobs);
    yield { delta: { content: piece }, isPiece: true, ...(logprobs === undefined ? {} : { logprobs }) };
  }
  yield* request.tools.form === "functions" ? functionSteps(answer) : toolSteps(answer, newId);
  yield { delta: {}, isPiece: false, finish: answer.finish };
}

function textLogprobs(piece: string, topLogprobs: number | undefined): unknown {
  return topLogprobs === undefined ? undefined : { content: [chatLogprob(piece, topLogprobs)], refusal: null };
}

function* toolSteps(answer: Answer, newId: () => string): Generator<Step> {
  for (const [index, call] of answer.calls.entries()) {
    const { opening, continued } = newCall(call, newId());
    yield { delta: { tool_calls: [{ index, ...opening("") }] }, isPiece: true };
    for (const piece of call.inputPieces) {
      yield { delta: { tool_calls: [{ index, ...continued(piece) }] }, isPiece: true };
    }
  }
}

function* functionSteps(answer: Answer): Generator<Step> {
  for (const call of answer.calls) {
    yield { delta: { function_call: newFunctionCall(call.name, "") }, isPiece: true };
    for (const piece of call.inputPieces) yield { delta: { function_call: { arguments: piece } }, isPiece: true };
  }
}
