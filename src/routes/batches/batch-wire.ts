import { isActive } from "../../batches/batch-states.ts";
import type { Batch } from "../../batches/records.ts";
import { seconds, secondsOrNull } from "../assistants/wire.ts";

/** Its files are named when they are written, and only where something is in them. */
export function batchWire({ asked, progress, ...batch }: Batch) {
  const isOver = !isActive(batch.status);
  return {
    id: batch.id,
    object: "batch",
    endpoint: asked.endpoint,
    errors: progress.faults.length === 0 ? null : { object: "list", data: progress.faults },
    input_file_id: asked.inputFileId,
    completion_window: asked.completionWindow,
    status: batch.status,
    output_file_id: isOver && batch.completed > 0 ? asked.outputFileId : null,
    error_file_id: isOver && batch.failed > 0 ? asked.errorFileId : null,
    created_at: seconds(batch.createdAt),
    in_progress_at: secondsOrNull(progress.startedAt),
    expires_at: seconds(batch.expiresAt),
    finalizing_at: secondsOrNull(progress.finalizingAt),
    completed_at: secondsOrNull(progress.completedAt),
    failed_at: secondsOrNull(progress.failedAt),
    expired_at: secondsOrNull(progress.expiredAt),
    cancelling_at: secondsOrNull(progress.cancellingAt),
    cancelled_at: secondsOrNull(progress.cancelledAt),
    request_counts: { total: batch.total, completed: batch.completed, failed: batch.failed },
    metadata: asked.metadata,
  };
}
