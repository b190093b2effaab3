import type { Message } from "./records.ts";
import type { Run, Step } from "./run-records.ts";
import type { AssistantStores } from "./store.ts";

/** What was open when a run ended before its work was done. */
export interface Closed {
  readonly steps: readonly Step[];
  readonly messages: readonly Message[];
}

const ENDS = {
  cancelled: { status: "cancelled", at: "cancelledAt", reason: "run_cancelled" },
  failed: { status: "failed", at: "failedAt", reason: "run_failed" },
  expired: { status: "expired", at: "expiredAt", reason: "run_expired" },
  incomplete: { status: "completed", at: "completedAt", reason: "max_tokens" },
} as const;

/** Ends the steps of a run as the run has ended. `said` is what an unfinished message has got so far. */
export async function closeSteps(tx: AssistantStores, run: Run, now: number, said: string | null): Promise<Closed> {
  const end = ENDS[run.status as keyof typeof ENDS];
  const [steps, messages]: [Step[], Message[]] = [[], []];
  if (!end) return { steps, messages };
  for (const step of await tx.steps.listAll(run.id)) {
    if (step.status !== "in_progress") continue;
    const closed: Step = { ...step, status: end.status, [end.at]: now, lastError: run.progress.lastError };
    await tx.steps.update(closed);
    steps.push(closed);
    if (step.details.type !== "message_creation") continue;
    const message = await tx.messages.find(run.threadId, step.details.messageId);
    if (message?.status !== "in_progress") continue;
    const left: Message = {
      ...message,
      status: "incomplete",
      incompleteAt: now,
      incompleteReason: end.reason,
      content: said ? [{ type: "text", text: { value: said, annotations: [] } }] : message.content,
    };
    await tx.messages.update(left);
    messages.push(left);
  }
  return { steps, messages };
}

/**
 * The turn that a process was at when it ended is begun again, as if it had not been. A turn ends with its calls, or with the
 * run: whatever is behind the last calls that were answered is of this one, even a text that is complete.
 */
export async function removeUnfinishedTurn(tx: AssistantStores, run: Run): Promise<void> {
  const steps = await tx.steps.listAll(run.id);
  const answered = steps.findLastIndex(
    ({ details, status }) => details.type === "tool_calls" && status === "completed",
  );
  for (const step of steps.slice(answered + 1)) {
    if (step.details.type === "message_creation") await tx.messages.remove(run.threadId, step.details.messageId);
    await tx.steps.remove(step.id);
  }
}
