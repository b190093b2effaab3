import type { RunEvent } from "../../assistants/run-events.ts";
import type { Run, RunUsage, Step, StepCall } from "../../assistants/run-records.ts";
import { isActive } from "../../assistants/run-states.ts";
import { gatewayErrorBody } from "../../contract/error-body.ts";
import { formatUsd } from "../../contract/money.ts";
import { toGatewayError } from "../../http/render-error.ts";
import { messageWire, seconds, secondsOrNull, threadWire } from "./wire.ts";

/** What it has cost stands beside the tokens, an addition to the interface: in USD, and exactly in nano-USD. */
const usageWire = ({ promptTokens, completionTokens, totalTokens, costNano }: RunUsage) => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: totalTokens,
  ...(costNano === undefined ? {} : { cost: formatUsd(BigInt(costNano)), cost_nano: costNano }),
});

export function runWire(run: Run) {
  const { settings, progress } = run;
  return {
    id: run.id,
    object: "thread.run",
    created_at: seconds(run.createdAt),
    assistant_id: run.assistantId,
    thread_id: run.threadId,
    status: run.status,
    started_at: secondsOrNull(progress.startedAt),
    expires_at: isActive(run.status) ? seconds(run.expiresAt) : null,
    cancelled_at: secondsOrNull(progress.cancelledAt),
    failed_at: secondsOrNull(progress.failedAt),
    completed_at: secondsOrNull(progress.completedAt),
    required_action: progress.waitsFor && {
      type: "submit_tool_outputs",
      submit_tool_outputs: {
        tool_calls: progress.waitsFor.map(({ id, name, arguments: args }) => ({
          id,
          type: "function",
          function: { name, arguments: args },
        })),
      },
    },
    last_error: progress.lastError,
    incomplete_details: progress.incompleteReason === null ? null : { reason: progress.incompleteReason },
    model: settings.model,
    instructions: settings.instructions,
    tools: settings.tools,
    metadata: run.metadata,
    temperature: settings.temperature ?? 1,
    top_p: settings.topP ?? 1,
    reasoning_effort: settings.reasoningEffort,
    max_prompt_tokens: settings.maxPromptTokens,
    max_completion_tokens: settings.maxCompletionTokens,
    truncation_strategy: { type: settings.truncation.type, last_messages: settings.truncation.lastMessages },
    response_format: settings.responseFormat ?? "auto",
    tool_choice: settings.toolChoice ?? "auto",
    parallel_tool_calls: settings.parallelToolCalls,
    usage: isActive(run.status) ? null : usageWire(progress.used),
  };
}

/** `texts`: with the passages that a search has found, which are told only if asked for. */
export const stepWire =
  (texts = false) =>
  (step: Step) => ({
    id: step.id,
    object: "thread.run.step",
    created_at: seconds(step.createdAt),
    run_id: step.runId,
    assistant_id: step.assistantId,
    thread_id: step.threadId,
    type: step.details.type,
    status: step.status,
    cancelled_at: secondsOrNull(step.cancelledAt),
    completed_at: secondsOrNull(step.completedAt),
    expired_at: secondsOrNull(step.expiredAt),
    failed_at: secondsOrNull(step.failedAt),
    last_error: step.lastError,
    step_details:
      step.details.type === "message_creation"
        ? { type: "message_creation", message_creation: { message_id: step.details.messageId } }
        : { type: "tool_calls", tool_calls: step.details.calls.map((call) => callWire(call, texts)) },
    usage: step.status === "in_progress" || step.usage === null ? null : usageWire(step.usage),
    metadata: {},
  });

function callWire(call: StepCall, texts: boolean) {
  if (call.type === "function") {
    const { id, name, arguments: args, output } = call;
    return { id, type: "function", function: { name, arguments: args, output } };
  }
  const results = (call.results ?? []).map(({ fileId, fileName, score, text }) => ({
    file_id: fileId,
    file_name: fileName,
    score,
    ...(texts ? { content: [{ type: "text", text }] } : {}),
  }));
  return {
    id: call.id,
    type: "file_search",
    file_search: { ranking_options: { ranker: "auto", score_threshold: 0 }, results },
  };
}

/** An event of a run with the name that it has on the wire. */
export function eventWire(event: RunEvent): { readonly name: string; readonly data: object } {
  switch (event.kind) {
    case "thread":
      return { name: "thread.created", data: threadWire(event.thread) };
    case "run":
      return { name: `thread.run.${event.name}`, data: runWire(event.run) };
    case "step":
      return { name: `thread.run.step.${event.name}`, data: stepWire()(event.step) };
    case "message":
      return { name: `thread.message.${event.name}`, data: messageWire(event.message) };
    case "text":
      return { name: "thread.message.delta", data: textDelta(event) };
    case "call":
      return { name: "thread.run.step.delta", data: callDelta(event) };
    case "error":
      return { name: "error", data: gatewayErrorBody(toGatewayError(event.thrown)) };
  }
}

function textDelta({ messageId, text, annotations }: RunEvent & { kind: "text" }) {
  const value = annotations.length === 0 ? { value: text, annotations } : { annotations: annotations.map(numbered) };
  return {
    id: messageId,
    object: "thread.message.delta",
    delta: { content: [{ index: 0, type: "text", text: value }] },
  };
}

const numbered = (annotation: object, index: number) => ({ index, ...annotation });

function callDelta({ stepId, index, call }: RunEvent & { kind: "call" }) {
  const { id, type } = call;
  const told =
    call.type === "file_search"
      ? { file_search: {} }
      : { function: { ...("name" in call ? { name: call.name } : {}), arguments: call.arguments ?? "", ...first(id) } };
  return {
    id: stepId,
    object: "thread.run.step.delta",
    delta: {
      step_details: { type: "tool_calls", tool_calls: [{ index, ...(id ? { id } : {}), type, ...told }] },
    },
  };
}

const first = (id: string | undefined) => (id ? { output: null } : {});
