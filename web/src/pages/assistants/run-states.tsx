import { Badge, Loader } from "@mantine/core";
import type { Run, RunStatus } from "./records.ts";

const LOOKS: Readonly<Record<RunStatus, { color: string; word: string }>> = {
  queued: { color: "gray", word: "waits" },
  in_progress: { color: "blue", word: "runs" },
  requires_action: { color: "orange", word: "wants a result" },
  cancelling: { color: "gray", word: "being cancelled" },
  cancelled: { color: "gray", word: "cancelled" },
  failed: { color: "red", word: "failed" },
  completed: { color: "pine", word: "completed" },
  incomplete: { color: "yellow", word: "incomplete" },
  expired: { color: "orange", word: "expired" },
};

const ACTIVE: ReadonlySet<RunStatus> = new Set(["queued", "in_progress", "requires_action", "cancelling"]);
/** It is not over yet: nothing else can be said in its thread. */
export const isActive = (run: Run | undefined): boolean => run !== undefined && ACTIVE.has(run.status);
/** It goes on by itself. */
export const isMoving = (run: Run | undefined): boolean => isActive(run) && run?.status !== "requires_action";

/** When it ended; null while it goes on, or where that is not told. */
export const endOf = (run: Run): number | null => run.completed_at ?? run.failed_at ?? run.cancelled_at;

/** Times are told in whole seconds. */
export const tookOf = (from: number, to: number): string => (to > from ? `${to - from} s` : "under 1 s");

export const RunBadge = ({ run }: { run: Run }) => (
  <Badge
    color={LOOKS[run.status].color}
    leftSection={isMoving(run) ? <Loader size={10} color="gray" aria-label="in progress" /> : undefined}
  >
    {LOOKS[run.status].word}
  </Badge>
);

/** Why a run has ended without an answer, in words; null when it has not. */
export function endingOf(run: Run): string | null {
  if (run.last_error) return run.last_error.message;
  if (run.status === "incomplete") {
    return run.incomplete_details?.reason === "max_prompt_tokens"
      ? "The thread is longer than this run may read."
      : "The answer was cut off: no more tokens were allowed.";
  }
  if (run.status === "expired") return "The run was not over after ten minutes.";
  return run.status === "cancelled" ? "This run was cancelled." : null;
}
