import type { Clock } from "./clock.ts";
import { newId } from "./ids.ts";
import type { Logger } from "./log.ts";

const STOP_MAX_MS = 10_000;
/** A process that is quiet for this long has lost what it was at to whoever takes it up. */
export const LEASE_MS = 15_000;

/**
 * Why something is no longer carried out here. `left`: the process ends. `lost`: it is somebody else's or at its end
 * already, and nothing of this one is written any more.
 */
export type Halt = "cancelled" | "expired" | "left" | "lost";

/** Something that is carried out behind the calls. */
export interface Carried {
  readonly id: string;
  readonly ended: Promise<void>;
  /** Never throws. */
  carryOut(): Promise<void>;
  halt(reason: Halt): void;
  /** The process is about to end: no further part is begun, of what is made of parts. */
  windDown?(): void;
}

interface DeskDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * What this process carries out. Whoever creates something holds it and carries it out here; `tick` tells the database that
 * it is still being carried out, and takes up what a process that is gone has left.
 */
export abstract class LeaseDesk<Task extends Carried, Due extends { readonly id: string }> {
  /** Names this process in the database. */
  readonly owner = newId();
  private readonly running = new Map<string, Task>();
  private ticking: Promise<void> | null = null;
  private stopped = false;
  private failing = false;

  constructor(
    private readonly outside: DeskDeps,
    /** What is carried out, for the log. */
    private readonly what: string,
    /** How many that others have left are looked at in one go. */
    private readonly dueMax = 50,
  ) {}

  protected get here(): readonly Task[] {
    return [...this.running.values()];
  }

  /** Tells the database that these are still being carried out, and halts those that it says are not to be. */
  protected abstract renew(here: readonly Task[], now: number): Promise<void>;
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
  halt(id: string, reason: Halt): void {
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

  /** What is under way is brought to its end, if that is soon; the rest is told that the process leaves. */
  async stop(waitMaxMs = STOP_MAX_MS): Promise<void> {
    this.stopped = true;
    for (const task of this.running.values()) task.windDown?.();
    const timeUp = Promise.withResolvers<void>();
    const timer = setTimeout(timeUp.resolve, waitMaxMs);
    await Promise.race([this.idle(), timeUp.promise]);
    clearTimeout(timer);
    for (const task of this.running.values()) task.halt("left");
    await this.idle();
  }

  private async look(): Promise<void> {
    const { clock, log } = this.outside;
    try {
      const now = clock.nowMs();
      if (this.running.size > 0) await this.renew(this.here, now);
      if (this.stopped) return;
      for (const due of await this.listDue(now, this.dueMax))
        if (!this.isRunning(due.id)) await this.takeOver(due, now);
      this.failing = false;
    } catch (thrown) {
      if (!this.failing) log.warn({ err: thrown }, `${this.what} cannot be looked at; trying again`);
      this.failing = true;
    }
  }
}
