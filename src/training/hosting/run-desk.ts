import { newId } from "../../lib/ids.ts";
import { changeRun } from "../note-run.ts";
import { LEASE_MS, take } from "../run-states.ts";
import type { DueRun } from "../store.ts";
import { HostedRun, type HostingDeps } from "./hosted-run.ts";

/** How many runs that wait are looked at in one go: more than lie where no server that is left sees them. */
const DUE_MAX = 1_000;
const BATCH = 500;
const ORPHAN_MS = 3_600_000;
/** Holders renew their leases every second. One whose lease has not changed for so long, whatever clocks say, is gone. */
const QUIET_MS = 4_000;

/**
 * The runs that this process carries out, each in a process of its own. `tick` tells the database that they are still held here,
 * and takes up what waits or what a process that is gone has left: of several servers one gets it.
 */
export class RunExecutor {
  /** Names this process in the database. */
  readonly owner = newId();
  private readonly running = new Map<string, HostedRun>();
  /** Leases that seem to be over, and since when they have been as they are, on the monotonic clock. */
  private quiet = new Map<string, { readonly leaseUntil: number | null; readonly sinceMs: number }>();
  private ticking: Promise<void> | null = null;
  private stopped = false;
  private failing = false;

  constructor(
    private readonly deps: HostingDeps,
    private readonly runsMax: number,
  ) {}

  /** Resolves when nothing is being carried out here. */
  async idle(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  /** Ends what is being carried out here; what others carry out sees it in the database. */
  async halt(runId: string): Promise<void> {
    const hosted = this.running.get(runId);
    hosted?.halt();
    await hosted?.ended;
  }

  /** Called every second. Never throws. */
  tick(): Promise<void> {
    this.ticking ??= this.look().finally(() => {
      this.ticking = null;
    });
    return this.ticking;
  }

  /** What is under way is left for others to take up at once. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.ticking;
    for (const hosted of this.running.values()) hosted.halt();
    await this.idle();
  }

  /**
   * Folders whose run is gone go too: it was deleted elsewhere, with its organization, or by a process that ended before it was
   * done. Young ones may be of a run that is just being made. Never throws.
   */
  async tidy(): Promise<void> {
    const { stores, files, clock, log } = this.deps;
    try {
      const names = await files.list(clock.nowMs() - ORPHAN_MS);
      for (let at = 0; at < names.length; at += BATCH) {
        const batch = names.slice(at, at + BATCH);
        const known = await stores.runs.known(batch);
        for (const name of batch) if (!known.has(name)) await files.remove(name);
      }
    } catch (thrown) {
      log.warn({ err: thrown }, "folders of training runs that are gone could not be removed");
    }
  }

  private async look(): Promise<void> {
    const { stores, clock, log } = this.deps;
    try {
      const now = clock.nowMs();
      if (this.running.size > 0) await this.renew(now);
      if (!this.stopped && this.running.size < this.runsMax) {
        const due = await stores.runs.listDue(now, DUE_MAX);
        for (const run of this.inTurn(this.unheld(due))) await this.claim(run);
      }
      this.failing = false;
    } catch (thrown) {
      if (!this.failing) log.warn({ err: thrown }, "training runs cannot be looked at; trying again");
      this.failing = true;
    }
  }

  private async renew(now: number): Promise<void> {
    // Only what is carried out here: a run whose end could not be written has to become due.
    const held = await this.deps.stores.runs.renew(this.owner, [...this.running.keys()], now + LEASE_MS);
    const statuses = new Map(held.map(({ id, status }) => [id, status]));
    for (const [id, hosted] of this.running) {
      // Paused, cancelled or lost. One that has just ended is not held any more either; it is at its end by itself.
      if (statuses.get(id) === "running") hosted.held();
      else hosted.halt();
    }
  }

  /**
   * Without those whose holder may live. A clock that is set forward ends every lease at once, and two processes in one run's folder
   * would spoil it, so that a lease is over only when it was not renewed while somebody looked.
   */
  private unheld(due: readonly DueRun[]): readonly DueRun[] {
    const before = this.quiet;
    const now = this.deps.clock.monotonicMs();
    this.quiet = new Map();
    return due.filter(({ id, leaseOwner, leaseUntil }) => {
      if (leaseOwner === null) return true;
      const known = before.get(id);
      const seen = known?.leaseUntil === leaseUntil ? known : { leaseUntil, sinceMs: now };
      this.quiet.set(id, seen);
      return now - seen.sinceMs >= QUIET_MS;
    });
  }

  /** The oldest first, but those of an organization after as many of every other as it has before them, under way or waiting. */
  private inTurn(due: readonly DueRun[]): readonly DueRun[] {
    const taken = new Map<string, number>();
    const placeOf = (organizationId: string): number => {
      const place = taken.get(organizationId) ?? 0;
      taken.set(organizationId, place + 1);
      return place;
    };
    for (const { run } of this.running.values()) placeOf(run.organizationId);
    const placed = due.map((run) => ({ run, place: placeOf(run.organizationId) }));
    return placed.toSorted((a, b) => a.place - b.place).map(({ run }) => run);
  }

  private async claim(waiting: DueRun): Promise<void> {
    const { stores, files, clock } = this.deps;
    const { id, roundsDone, initialHash, leaseUntil } = waiting;
    if (this.stopped || this.running.has(id) || this.running.size >= this.runsMax) return;
    // A run lies where it was begun: a server that does not see its folder leaves it to one that does.
    if ((roundsDone > 0 || initialHash !== null) && !files.has(id)) return;
    const now = clock.nowMs();
    const run = await changeRun(stores, id, "start", null, (found) =>
      found.leaseUntil === leaseUntil ? take(found, this.owner, now) : null,
    );
    if (run === null) return;
    this.deps.happened(id);
    const hosted = new HostedRun(this.deps, this.owner, run);
    this.running.set(id, hosted);
    void hosted.ended.finally(() => this.running.delete(id));
  }
}
