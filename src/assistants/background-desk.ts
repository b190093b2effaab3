import { LEASE_MS, LeaseDesk } from "../lib/lease-desk.ts";
import type { BackgroundResponse } from "./background-store.ts";
import { BackgroundTask, type TaskDeps } from "./background-task.ts";

/** The responses that this process carries out in the background. */
export class BackgroundDesk extends LeaseDesk<BackgroundTask, BackgroundResponse> {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(private readonly deps: TaskDeps) {
    super(deps, "responses in the background");
  }

  start(work: BackgroundResponse): void {
    void this.carry(new BackgroundTask(this.deps, this.owner, work, (id) => this.wake(id)));
  }

  /** Until something of the response is written here, and no longer than this: others write, too. */
  async written(id: string, waitMaxMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMaxMs);
    const waiting = this.waiting.get(id) ?? new Set();
    this.waiting.set(id, waiting.add(resolve));
    await promise;
    clearTimeout(timer);
    waiting.delete(resolve);
    if (waiting.size === 0 && this.waiting.get(id) === waiting) this.waiting.delete(id);
  }

  protected async renew(here: readonly BackgroundTask[], now: number): Promise<void> {
    const taken = here.filter(({ isTaken }) => isTaken);
    const ids = taken.map(({ id }) => id);
    const held = new Set(await this.deps.store.renew(this.owner, ids, now + LEASE_MS));
    // One that has just ended is not held any more either; it is at its end by itself.
    for (const task of taken) if (!held.has(task.id)) task.halt("lost");
  }

  protected listDue(now: number, max: number): Promise<readonly BackgroundResponse[]> {
    return this.deps.store.listDue(now, max);
  }

  protected async takeOver(work: BackgroundResponse): Promise<void> {
    this.start(work);
  }

  private wake(id: string): void {
    for (const resolve of this.waiting.get(id) ?? []) resolve();
  }
}
