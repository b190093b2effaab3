import type { Metadata } from "../contract/assistants/parts.ts";
import type { BatchEndpoint, BatchStatus } from "../contract/batches.ts";
import type { RequestSource } from "../contract/request-source.ts";

/** Why a batch failed as a whole: one thing that is wrong with its file. */
export interface BatchFault {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** Counted from 1. */
  readonly line: number | null;
}

/** What was asked for; it stays as it is. */
export interface AskedBatch {
  readonly endpoint: BatchEndpoint;
  readonly inputFileId: string;
  readonly completionWindow: "24h";
  readonly outputExpiresAfterMs: number | null;
  readonly metadata: Metadata | null;
  readonly source: RequestSource;
  /** Names that its files will have: who writes them again after a crash writes the same ones. */
  readonly outputFileId: string;
  readonly errorFileId: string;
}

export interface BatchProgress {
  readonly startedAt: number | null;
  readonly finalizingAt: number | null;
  readonly completedAt: number | null;
  readonly failedAt: number | null;
  readonly expiredAt: number | null;
  readonly cancellingAt: number | null;
  readonly cancelledAt: number | null;
  readonly faults: readonly BatchFault[];
}

export interface Batch {
  readonly id: string;
  readonly teamId: string | null;
  /** Whose limits and credit its calls count against. */
  readonly keyId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly status: BatchStatus;
  /** The process that carries it out, and until when it is known to be at it. */
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  /** How often a process died over it since something came of a line. */
  readonly attempts: number;
  /** Lines of its file; 0 until that was read. */
  readonly total: number;
  /** Lines that are, or will be, in the file of answers and in that of errors. */
  readonly completed: number;
  readonly failed: number;
  readonly asked: AskedBatch;
  readonly progress: BatchProgress;
}

/** What came of a line: a line of one of the two files. */
export interface LineResult {
  /** The number of the line that was asked. */
  readonly line: number;
  readonly failed: boolean;
  readonly text: string;
}
