import { describe, expect, test } from "bun:test";
import { BATCH_STATUSES, type BatchStatus } from "../contract/batches.ts";
import { LEASE_MS } from "../lib/leased-task-runner.ts";
import * as states from "./batch-states.ts";
import type { Batch } from "./records.ts";

const NOW = 1_000_000;
const batchIn = (status: BatchStatus, more: Partial<Batch> = {}): Batch => ({
  id: "batch_1",
  teamId: null,
  keyId: "k",
  createdAt: 0,
  expiresAt: NOW + 1,
  status,
  leaseOwner: "me",
  leaseUntil: NOW + 1,
  attempts: 0,
  total: 3,
  completed: 1,
  failed: 1,
  asked: {} as Batch["asked"],
  progress: states.NO_PROGRESS,
  ...more,
});
const FAULT = { code: "c", message: "m", param: null, line: null };

describe("a batch", () => {
  test("goes only where its state leads to", () => {
    const moves: [BatchStatus, BatchStatus | undefined][] = [];
    for (const status of BATCH_STATUSES) {
      const batch = batchIn(status);
      for (const next of [
        states.begin(batch, 3, NOW),
        states.refuse(batch, [FAULT], NOW),
        states.finalize(batch, [], NOW),
        states.askCancel(batch, NOW),
        states.end({ ...batch, completed: 2 }, 0, NOW),
        states.end(batch, 1, NOW),
      ]) {
        if (next) moves.push([status, next.status]);
      }
    }
    expect(moves).toEqual([
      ["validating", "in_progress"],
      ["validating", "failed"],
      ["validating", "cancelling"],
      ["in_progress", "finalizing"],
      ["in_progress", "cancelling"],
      ["finalizing", "completed"],
      ["finalizing", "expired"],
      ["cancelling", "cancelled"],
      ["cancelling", "cancelled"],
    ]);
  });

  test("that has come to its end is held by nobody, and counts what nobody called as failed", () => {
    const ended = states.end(batchIn("finalizing"), 1, NOW);
    expect(ended).toMatchObject({ status: "expired", leaseOwner: null, leaseUntil: null, completed: 1, failed: 2 });
    expect(ended?.progress.expiredAt).toBe(NOW);
    const gone = states.finalize(batchIn("in_progress"), [FAULT], NOW);
    expect(gone && states.end(gone, 0, NOW)?.status).toBe("failed");
  });

  test("is taken up by one process at a time, and by another when that is quiet", () => {
    expect(states.claim(batchIn("in_progress"), "you", NOW)).toBeNull();
    expect(states.claim(batchIn("in_progress"), "me", NOW)?.leaseUntil).toBe(NOW + LEASE_MS);
    expect(states.claim(batchIn("in_progress"), "you", NOW + 1)?.leaseOwner).toBe("you");
    expect(states.claim(batchIn("in_progress"), "you", NOW + 1)?.attempts).toBe(1);
    const released = states.release(batchIn("in_progress"), 0);
    expect(states.claim(released, "you", NOW)).toMatchObject({ leaseOwner: "you", attempts: 0 });
    for (const status of ["completed", "failed", "expired", "cancelled"] as const) {
      expect(states.claim(batchIn(status, { leaseOwner: null }), "you", NOW)).toBeNull();
    }
  });
});
