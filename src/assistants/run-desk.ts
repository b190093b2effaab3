import { type Held, LeasedTaskRunner } from "../lib/leased-task-runner.ts";
import { closeSteps } from "./close-steps.ts";
import { Execution } from "./execution.ts";
import type { ExecutionDeps } from "./execution-deps.ts";
import type { RunWatch } from "./run-events.ts";
import type { Run } from "./run-records.ts";
import { endCancelled, expire, isActive } from "./run-states.ts";

/** The runs of this process. */
export class RunExecutor extends LeasedTaskRunner<Execution, Run> {
  constructor(private readonly deps: ExecutionDeps) {
    super(deps, "runs");
  }

  /** Carries a run out behind the call. The watch, where there is one, hears of everything. */
  start(run: Run, watch: RunWatch | null = null): void {
    void this.carry(new Execution(this.deps, this.owner, run, watch)).finally(() => watch?.end());
  }

  protected renewLeases(ids: readonly string[], untilMs: number): Promise<readonly Held[]> {
    return this.deps.stores.runs.renew(this.owner, ids, untilMs);
  }

  protected listDue(now: number, max: number): Promise<readonly Run[]> {
    return this.deps.stores.runs.listDue(now, max);
  }

  protected async takeOver(run: Run, now: number): Promise<void> {
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
