import { Gate } from "../lib/gate.ts";
import { type Held, LeasedTaskRunner } from "../lib/leased-task-runner.ts";
import type { BatchDeps } from "./batch-deps.ts";
import { Execution } from "./execution.ts";
import type { Batch } from "./records.ts";

/** Calls of all batches of a process at one time: they leave room for those that somebody waits for. */
const CALLS_AT_ONCE = 8;
/** Batches at one time, each with its file set aside; and of one team, so that others have a place too. */
const BATCHES_MAX = 32;
const TEAM_BATCHES_MAX = 4;
/** Many: those of a team that has its places taken are in the way of others. */
const DUE_MAX = 500;

/** The batches of this process. */
export class BatchRunner extends LeasedTaskRunner<Execution, Batch> {
  private readonly gate = new Gate(CALLS_AT_ONCE, Number.POSITIVE_INFINITY, () => new Error("no place"));

  constructor(private readonly deps: BatchDeps) {
    super(deps, "batches", DUE_MAX);
  }

  override tick(): Promise<void> {
    const now = this.deps.clock.monotonicMs();
    for (const execution of this.here) execution.wake(now);
    return super.tick();
  }

  protected renewLeases(ids: readonly string[], untilMs: number): Promise<readonly Held[]> {
    return this.deps.store.renew(this.owner, ids, untilMs);
  }

  protected listDue(now: number, max: number): Promise<readonly Batch[]> {
    return this.deps.store.listDue(now, max);
  }

  protected async takeOver(batch: Batch, now: number): Promise<void> {
    if (!this.hasPlaceFor(batch, now)) return;
    const execution = new Execution(this.deps, this.owner, batch, this.gate);
    if (batch.expiresAt <= now) execution.halt("expired");
    void this.carry(execution);
  }

  /** What only has to be brought to its end needs none. */
  private hasPlaceFor({ teamId, status, expiresAt }: Batch, now: number): boolean {
    if (status === "cancelling" || status === "finalizing" || expiresAt <= now) return true;
    const ofTeam = this.here.filter((other) => other.teamId === teamId).length;
    return this.here.length < BATCHES_MAX && ofTeam < TEAM_BATCHES_MAX;
  }
}
