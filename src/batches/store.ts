import type { Cursor, Owner, Slice } from "../contract/cursor.ts";
import type { Held } from "../lib/leased-task-runner.ts";
import type { Batch, LineResult } from "./records.ts";

/** What batches need of a database. An `after` that names nothing of the owner's is `not_found`. */
export interface BatchStore {
  find(owner: Owner, id: string): Promise<Batch | null>;
  insert(batch: Batch): Promise<void>;
  /** Makes it what `decide` gives, unless that is null; nobody else changes it in between. Gives what it is now. */
  change(id: string, decide: (batch: Batch) => Batch | null): Promise<Batch | null>;
  /** The same, and lets go of what came of its lines. */
  end(id: string, decide: (batch: Batch) => Batch | null): Promise<Batch | null>;
  list(owner: Owner, cursor: Cursor): Promise<Slice<Batch>>;
  /** How many of the owner's have not come to their end. */
  countActive(owner: Owner): Promise<number>;
  /** Goes on holding those of these that the process holds; gives what they are at. */
  renew(process: string, ids: readonly string[], leaseUntil: number): Promise<readonly Held[]>;
  /** Those that nobody carries out although somebody should, the oldest first. */
  listDue(nowMs: number, limit: number): Promise<readonly Batch[]>;
  /** Keeps and counts what came of a line; false where the process does not hold the batch any more. */
  keepLine(process: string, batchId: string, result: LineResult): Promise<boolean>;
  /** Lines that something came of. */
  listDone(batchId: string): Promise<readonly number[]>;
  /** What came of lines behind this one, in their order. */
  listResults(batchId: string, failed: boolean, after: number, limit: number): Promise<readonly LineResult[]>;
}
