import { newId } from "../lib/ids.ts";
import { closeSteps } from "./close-steps.ts";
import { Execution, type Halt } from "./execution.ts";
import type { ExecutionDeps } from "./execution-deps.ts";
import type { RunWatch } from "./run-events.ts";
import type { Run } from "./run-records.ts";
import { endCancelled, expire, isActive, LEASE_MS } from "./run-states.ts";

/** How many runs that others have left are looked at in one go. */
const DUE_MAX = 50;
const STOP_MAX_MS = 10_000;

/**
 * The runs of this process. Whoever creates a run holds it and carries it out here; `tick` tells the database that they are
 * still being carried out, and takes up what a process that is gone has left.
 */
export class RunDesk {
  /** Names this process in the database. */
  readonly owner = newId();
  private readonly running = new Map<string, Execution>();
  private ticking: Promise<void> | null = null;
  private stopped = false;
  private failing = false;

  constructor(private readonly deps: ExecutionDeps) {}

  /** Carries a run out behind the call. The watch, where there is one, hears of everything. */
  start(run: Run, watch: RunWatch | null = null): void {
    if (this.stopped) {
      watch?.end();
      return;
    }
    const execution = new Execution(this.deps, this.owner, run, watch);
    // A run that waited for its caller may be told to go on before the part that made it wait has quite ended.
    const before = this.running.get(run.id)?.ended ?? Promise.resolve();
    this.running.set(run.id, execution);
    void before
      .then(() => execution.carryOut())
      .finally(() => {
        if (this.running.get(run.id) === execution) this.running.delete(run.id);
        watch?.end();
      });
  }

  /** Ends what is being carried out here; what others carry out sees it in the database. */
  halt(runId: string, reason: Halt): void {
    this.running.get(runId)?.halt(reason);
  }

  isRunning(runId: string): boolean {
    return this.running.has(runId);
  }

  /** Resolves when nothing is being carried out here. */
  async idle(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  /** Called every second. Never throws. */
  tick(): Promise<void> {
    this.ticking ??= this.look().finally(() => {
      this.ticking = null;
    });
    return this.ticking;
  }

  /** What is under way is brought to its end, if that is soon; the rest is left for others to take up at once. */
  async stop(waitMaxMs = STOP_MAX_MS): Promise<void> {
    this.stopped = true;
    const timeUp = Promise.withResolvers<void>();
    const timer = setTimeout(timeUp.resolve, waitMaxMs);
    await Promise.race([this.idle(), timeUp.promise]);
    clearTimeout(timer);
    for (const execution of this.running.values()) execution.halt("left");
    await this.idle();
  }

  private async look(): Promise<void> {
    const { stores, clock, log } = this.deps;
    try {
      const now = clock.nowMs();
      if (this.running.size > 0) await this.renew(now);
      if (this.stopped) return;
      for (const run of await stores.runs.listDue(now, DUE_MAX)) await this.takeOver(run, now);
      this.failing = false;
    } catch (thrown) {
      if (!this.failing) log.warn({ err: thrown }, "runs cannot be looked at; trying again");
      this.failing = true;
    }
  }

  private async renew(now: number): Promise<void> {
    const here = [...this.running.values()];
    // Only what is carried out here: a run that was left behind, for whatever reason, has to become due.
    const ids = here.map(({ id }) => id);
    const held = await this.deps.stores.runs.renew(this.owner, ids, now + LEASE_MS);
    const statuses = new Map(held.map(({ id, status }) => [id, status]));
    for (const execution of here) {
      const status = statuses.get(execution.id);
      if (status === "cancelling") execution.halt("cancelled");
      else if (execution.expiresAt <= now) execution.halt("expired");
      // One that has just ended is not held any more either; it is at its end by itself.
      else if (status === undefined) execution.halt("lost");
    }
  }

  private async takeOver(run: Run, now: number): Promise<void> {
    if (this.running.has(run.id)) return;
    if (run.status === "cancelling") await this.end(run.id, (found) => endCancelled(found, now));
    else if (run.expiresAt <= now) await this.end(run.id, (found) => expire(found, now));
    else this.start(run);
  }

  /** Ends a run that nobody carries out, with its open steps. Null where it does not come to that. */
  end(runId: string, decide: (run: Run) => Run | null): Promise<Run | null> {
    const { stores, clock } = this.deps;
    return stores.transaction(async (tx) => {
      const ended = await tx.runs.change(runId, decide);
      if (ended && !isActive(ended.status)) await closeSteps(tx, ended, clock.nowMs(), null);
      return ended;
    });
  }
}
