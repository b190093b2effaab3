import type { Clock } from "./clock.ts";
import { ClockJumpDetector } from "./clock-jump.ts";
import { newId } from "./ids.ts";
import type { Logger } from "./log.ts";

const STOP_MAX_MS = 10_000;
/** A process that is quiet for this long has lost what it was at to whoever takes it up. */
export const LEASE_MS = 15_000;
/** A lease that ends later than this was taken before the clock was set back: who lives has renewed it since. */
export const LEASE_MAX_MS = 4 * LEASE_MS;

interface Leased {
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
}

export const isHeld = ({ leaseOwner, leaseUntil }: Leased, now: number): boolean =>
  leaseOwner !== null && leaseUntil !== null && leaseUntil > now && leaseUntil <= now + LEASE_MAX_MS;

/**
 * While a lease that is over may be that of a process that lives: the clock was set, or the database was away, and nobody
 * could renew any. They get the time of a lease to do it.
 */
export class LeaseGrace {
  private readonly setClock: ClockJumpDetector;
  private failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Clock) {
    this.setClock = new ClockJumpDetector(clock);
  }

  /** The database could not be asked. */
  failed(): void {
    this.failedAtMs = this.clock.monotonicMs();
  }

  /** To be asked every moment: it looks at the clock. */
  isOn(): boolean {
    const wasSet = this.setClock.wasSetWithin(LEASE_MS);
    return wasSet || this.clock.monotonicMs() - this.failedAtMs < LEASE_MS;
  }
}

/**
 * Why something is no longer carried out here. `left`: the process ends. `lost`: it is somebody else's or at its end
 * already, and nothing of this one is written any more.
 */
export type StopReason = "cancelled" | "expired" | "left" | "lost";

/** Something that is carried out behind the calls. */
export interface LeasedTask {
  readonly id: string;
  readonly expiresAt?: number;
  readonly ended: Promise<void>;
  /** Its lease is this process's. Of what is only about to be taken up, the database may still say that another has it. */
  readonly isTaken: boolean;
  /** Never throws. */
  carryOut(): Promise<void>;
  halt(reason: StopReason): void;
  /** The process is about to end: no further part is begun, of what is made of parts. */
  drain?(): void;
}

/** What the database says of something that this process holds. */
export interface Held {
  readonly id: string;
  readonly status: string;
}

interface DeskDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * What this process carries out. Whoever creates something holds it and carries it out here; `tick` tells the database that
 * it is still being carried out, and takes up what a process that is gone has left.
 */
export abstract class LeasedTaskRunner<
  Task extends LeasedTask,
  Due extends Pick<Leased, "leaseOwner"> & { readonly id: string },
> {
  /** Names this process in the database. */
  readonly owner = newId();
  private readonly running = new Map<string, Task>();
  private ticking: Promise<void> | null = null;
  private stopped = false;
  private failing = false;
  private readonly grace: LeaseGrace;

  constructor(
    private readonly runtime: DeskDeps,
    /** What is carried out, for the log. */
    private readonly what: string,
    /** How many that others have left are looked at in one go. */
    private readonly dueMax = 50,
  ) {
    this.grace = new LeaseGrace(runtime.clock);
  }

  protected get here(): readonly Task[] {
    return [...this.running.values()];
  }

  /** Tells the database that these are still being carried out. Gives those that are held. */
  protected abstract renewLeases(ids: readonly string[], untilMs: number): Promise<readonly Held[]>;
  protected abstract listDue(now: number, max: number): Promise<readonly Due[]>;
  /** Of what others have left. */
  protected abstract takeOver(due: Due, now: number): Promise<void>;

  /** Resolves when the task is over, at once where nothing is begun any more. */
  protected async carry(task: Task): Promise<void> {
    if (this.stopped) return;
    // What waited for its caller may be told to go on before the part that made it wait has quite ended.
    const before = this.running.get(task.id)?.ended ?? Promise.resolve();
    this.running.set(task.id, task);
    await before;
    await task.carryOut();
    if (this.running.get(task.id) === task) this.running.delete(task.id);
  }

  /** Ends what is being carried out here; what others carry out sees it in the database. */
  halt(id: string, reason: StopReason): void {
    this.running.get(id)?.halt(reason);
  }

  isRunning(id: string): boolean {
    return this.running.has(id);
  }

  /** Resolves when nothing is being carried out here. */
  async idle(): Promise<void> {
    await Promise.all(this.here.map(({ ended }) => ended));
  }

  /** Called every second. Never throws. */
  tick(): Promise<void> {
    this.ticking ??= this.look().finally(() => {
      this.ticking = null;
    });
    return this.ticking;
  }

  /** Somebody else of this process could not ask the database. */
  databaseWasAway(): void {
    this.grace.failed();
  }

  /** What is under way is brought to its end, if that is soon; the rest is told that the process leaves. */
  async stop(waitMaxMs = STOP_MAX_MS): Promise<void> {
    this.stopped = true;
    for (const task of this.running.values()) task.drain?.();
    const timeUp = Promise.withResolvers<void>();
    const timer = setTimeout(timeUp.resolve, waitMaxMs);
    await Promise.race([this.idle(), timeUp.promise]);
    clearTimeout(timer);
    for (const task of this.running.values()) task.halt("left");
    await this.idle();
  }

  private async renew(now: number): Promise<void> {
    // Only what is carried out here: what was left behind, for whatever reason, has to become due.
    const taken = this.here.filter(({ isTaken }) => isTaken);
    if (taken.length === 0) return;
    const held = await this.renewLeases(
      taken.map(({ id }) => id),
      now + LEASE_MS,
    );
    const statuses = new Map(held.map(({ id, status }) => [id, status]));
    for (const task of taken) {
      const status = statuses.get(task.id);
      if (status === "cancelling") task.halt("cancelled");
      else if (task.expiresAt !== undefined && task.expiresAt <= now) task.halt("expired");
      // One that has just ended is not held any more either; it is at its end by itself.
      else if (status === undefined) task.halt("lost");
    }
  }

  private async look(): Promise<void> {
    const { clock, log } = this.runtime;
    try {
      const mayLive = this.grace.isOn();
      const now = clock.nowMs();
      await this.renew(now);
      if (this.stopped) return;
      for (const due of await this.listDue(now, this.dueMax)) {
        const isOthers = due.leaseOwner !== null && due.leaseOwner !== this.owner;
        if (this.isRunning(due.id) || (mayLive && isOthers)) continue;
        await this.takeOver(due, now);
      }
      this.failing = false;
    } catch (thrown) {
      this.grace.failed();
      if (!this.failing) log.warn({ err: thrown }, `${this.what} cannot be looked at; trying again`);
      this.failing = true;
    }
  }
}
