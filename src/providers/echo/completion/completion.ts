import type { EchoCall } from "../call.ts";
import { createdSeconds } from "../call.ts";
import type { StreamEvent } from "../event-stream.ts";
import { eventStreamResponse } from "../event-stream.ts";
import { cutText } from "../text/cut.ts";
import type { TextInput } from "../text/inputs.ts";
import { completionLogprobs } from "../text/logprobs.ts";
import { textUsage } from "../text/usage.ts";
import type { CompletionRequest } from "./request.ts";
import { parseCompletionRequest } from "./request.ts";

interface Completed {
  readonly index: number;
  /** The prompt's own pieces when it is echoed, then the completion's. */
  readonly pieces: readonly string[];
  readonly completionTokens: number;
  readonly finish: "stop" | "length";
}

/** `POST /completions`. */
export function completion(call: EchoCall): Response {
  const request = parseCompletionRequest(call.body);
  const choices = request.prompts.flatMap((prompt, at) => complete(request, prompt, at * request.choicesPerPrompt));
  const usage = textUsage(
    request.promptTokens,
    choices.reduce((sum, choice) => sum + choice.completionTokens, 0),
  );
  const head = {
    id: `cmpl-${call.newId()}`,
    object: "text_completion",
    created: createdSeconds(call),
    model: request.model,
    system_fingerprint: "fp_echo",
  };
  if (request.isStream) return eventStreamResponse(chunks(request, choices, head, usage), call.pace);
  return Response.json({
    ...head,
    choices: choices.map(({ index, pieces, finish }) => ({
      index,
      text: pieces.join(""),
      logprobs: logprobs(request, pieces, 0),
      finish_reason: finish,
    })),
    usage,
  });
}

function complete(request: CompletionRequest, prompt: TextInput, firstIndex: number): readonly Completed[] {
  const cut = cutText(completionText(prompt.text, request.suffix), request.stops, request.tokensMax);
  const choice = {
    pieces: request.echoesPrompt ? [...prompt.pieces, ...cut.pieces] : cut.pieces,
    completionTokens: cut.pieces.length,
    finish: cut.finish,
  };
  return Array.from({ length: request.choicesPerPrompt }, (_, at) => ({ ...choice, index: firstIndex + at }));
}

function completionText(prompt: string, suffix: string | undefined): string {
  const said = prompt === "" ? "You said nothing." : `You said: ${prompt}`;
  return suffix === undefined || suffix === "" ? said : `${said} (before: ${suffix})`;
}

function logprobs({ topLogprobs, echoesPrompt }: CompletionRequest, pieces: readonly string[], offset: number) {
  if (topLogprobs === undefined) return null;
  return completionLogprobs(pieces, topLogprobs, { offset, startsText: echoesPrompt && offset === 0 });
}

/** All choices in turn, a piece of each at a time; each ends with an empty text that carries its reason. */
function* chunks(
  request: CompletionRequest,
  choices: readonly Completed[],
  head: object,
  usage: object,
): Generator<StreamEvent> {
  const nullUsage = request.includeUsage ? { usage: null } : {};
  const offsets = choices.map(() => 0);
  const stepsMax = Math.max(...choices.map(({ pieces }) => pieces.length)) + 1;
  for (let step = 0; step < stepsMax; step++) {
    for (const [at, { index, pieces, finish }] of choices.entries()) {
      if (step > pieces.length) continue;
      const piece = pieces[step];
      const offset = offsets[at] ?? 0;
      const choice = {
        index,
        text: piece ?? "",
        logprobs: piece === undefined ? null : logprobs(request, [piece], offset),
        finish_reason: piece === undefined ? finish : null,
      };
      offsets[at] = offset + choice.text.length;
      yield { data: { ...head, choices: [choice], ...nullUsage }, isPiece: piece !== undefined };
    }
  }
  if (request.includeUsage) yield { data: { ...head, choices: [], usage }, isPiece: false };
}
