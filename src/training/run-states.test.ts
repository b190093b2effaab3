import { describe, expect, test } from "bun:test";
import { newRound, newRun } from "../../test/training/new-run.ts";
import {
  addRound,
  cancel,
  complete,
  drop,
  isHeld,
  LEASE_MS,
  pause,
  release,
  resume,
  stall,
  take,
} from "./run-states.ts";

const NOW = 1_000_000;
const queued = newRun("org");
const running = take(queued, "me", NOW);
if (running === null) throw new Error("a run that waits can be taken");

describe("a training run", () => {
  test("is held for a while by who takes it, and by nobody else", () => {
    expect(isHeld(running, NOW + LEASE_MS - 1)).toBe(true);
    expect(take(running, "other", NOW + LEASE_MS - 1)).toBeNull();
    expect(take(running, "other", NOW + LEASE_MS)).toMatchObject({ leaseOwner: "other", attempts: 2, eventsMade: 2 });
  });

  test("is held by nobody whose lease is further ahead than one can be: a clock was set back", () => {
    expect(isHeld(running, NOW)).toBe(true);
    expect(isHeld(running, NOW - 1)).toBe(false);
    expect(isHeld({ ...running, status: "cancelled" }, NOW - 3_600_000)).toBe(false);
    expect(take(running, "other", NOW - 3_600_000)).toMatchObject({ leaseOwner: "other" });
  });

  test("is written only by its holder, every round once and in order", () => {
    expect(addRound(running, "other", newRound(1), NOW)).toBeNull();
    expect(addRound(running, "me", newRound(2), NOW)).toBeNull();
    const one = addRound(running, "me", newRound(1), NOW);
    expect(one).toMatchObject({ roundsDone: 1, attempts: 0, eventsMade: running.eventsMade + 1 });
    expect(one && addRound(one, "me", newRound(1), NOW)).toBeNull();
    expect(complete(running, "other", NOW)).toBeNull();
    expect(stall(running, "other", "why", NOW)).toBeNull();
    expect(release(running, "other")).toBeNull();
  });

  test("is paused, resumed and cancelled where that makes sense, and stays ended", () => {
    const paused = pause(running, "Ada paused it", NOW);
    expect(paused).toMatchObject({ status: "paused", reason: "Ada paused it", leaseOwner: "me" });
    if (paused === null) return;
    expect(pause(paused, "again", NOW)).toBeNull();
    expect(complete(paused, "me", NOW)).toBeNull();
    expect(resume(paused, NOW)).toMatchObject({ status: "queued", reason: null, attempts: 0 });
    expect(resume(running, NOW)).toBeNull();
    const ended = cancel(paused, NOW);
    expect(ended).toMatchObject({ status: "cancelled", endedAt: NOW });
    expect(ended && [cancel(ended, NOW), resume(ended, NOW), pause(ended, "x", NOW), take(ended, "x", NOW)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  test("whose process breaks down is left for the next, and paused when no round is finished in three tries", () => {
    expect(drop(running, "me", "it broke", NOW)).toMatchObject({ status: "running", leaseOwner: null });
    expect(drop({ ...running, attempts: 3 }, "me", "it broke", NOW)).toMatchObject({
      status: "paused",
      reason: "it broke, 3 times without finishing a round",
      leaseOwner: null,
    });
    expect(drop(running, "other", "it broke", NOW)).toBeNull();
  });
});
