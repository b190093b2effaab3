import { Gate } from "../lib/gate.ts";
import { newId } from "../lib/ids.ts";
import type { BatchDeps } from "./batch-deps.ts";
import { LEASE_MS } from "./batch-states.ts";
import { Execution, type Halt } from "./execution.ts";
import type { Batch } from "./records.ts";

/** Calls of all batches of a process at one time: they leave room for those that somebody waits for. */
const CALLS_AT_ONCE = 8;
/** Batches at one time, each with its file set aside; and of one team, so that others have a place too. */
const BATCHES_MAX = 32;
const TEAM_BATCHES_MAX = 4;
/** How many that nobody carries out are looked at in one go. */
const DUE_MAX = 500;
const STOP_MAX_MS = 10_000;

/** The batches of this process. `tick` tells the database that they are being carried out, and takes up what nobody does. */
export class BatchDesk {
  /** Names this process in the database. */
  private readonly owner = newId();
  private readonly running = new Map<string, Execution>();
  private readonly gate = new Gate(CALLS_AT_ONCE, Number.POSITIVE_INFINITY, () => new Error("no place"));
  private ticking: Promise<void> | null = null;
  private stopped = false;
  private failing = false;

  constructor(private readonly deps: BatchDeps) {}

  /** Ends what is being carried out here; what others carry out sees it in the database. */
  halt(batchId: string, reason: Halt): void {
    this.running.get(batchId)?.halt(reason);
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

  /** Calls that are under way are brought to their end, if that is soon; the rest is left for others to take up at once. */
  async stop(waitMaxMs = STOP_MAX_MS): Promise<void> {
    this.stopped = true;
    await this.ticking;
    for (const execution of this.running.values()) execution.halt("left");
    const timeUp = Promise.withResolvers<void>();
    const timer = setTimeout(timeUp.resolve, waitMaxMs);
    await Promise.race([this.idle(), timeUp.promise]);
    clearTimeout(timer);
    for (const execution of this.running.values()) execution.abort();
    await this.idle();
  }

  private async look(): Promise<void> {
    const { store, clock, log } = this.deps;
    try {
      const now = clock.nowMs();
      for (const execution of this.running.values()) execution.wake(now);
      if (this.running.size > 0) await this.renew(now);
      if (this.stopped) return;
      for (const batch of await store.listDue(now, DUE_MAX)) if (this.hasPlaceFor(batch, now)) this.start(batch);
      this.failing = false;
    } catch (thrown) {
      if (!this.failing) log.warn({ err: thrown }, "batches cannot be looked at; trying again");
      this.failing = true;
    }
  }

  private async renew(now: number): Promise<void> {
    const here = [...this.running.values()].filter(({ isTaken }) => isTaken);
    const ids = here.map(({ id }) => id);
    const held = await this.deps.store.renew(this.owner, ids, now + LEASE_MS);
    const statuses = new Map(held.map(({ id, status }) => [id, status]));
    for (const execution of here) {
      const status = statuses.get(execution.id);
      if (status === "cancelling") execution.halt("cancelled");
      else if (execution.isOver(now)) execution.halt("expired");
      // One that has just ended is not held any more either; it is at its end by itself.
      else if (status === undefined) execution.halt("lost");
    }
  }

  /** What only has to be brought to its end needs none. */
  private hasPlaceFor({ id, teamId, status, expiresAt }: Batch, now: number): boolean {
    if (this.running.has(id)) return false;
    if (status === "cancelling" || status === "finalizing" || expiresAt <= now) return true;
    const ofTeam = [...this.running.values()].filter((other) => other.teamId === teamId).length;
    return this.running.size < BATCHES_MAX && ofTeam < TEAM_BATCHES_MAX;
  }

  private start(batch: Batch): void {
    const execution = new Execution(this.deps, this.owner, batch, this.gate);
    if (execution.isOver(this.deps.clock.nowMs())) execution.halt("expired");
    this.running.set(batch.id, execution);
    void execution.carryOut().finally(() => this.running.delete(batch.id));
  }
}
