import { type Held, LeasedTaskRunner } from "../lib/leased-task-runner.ts";
import type { BackgroundResponse } from "./background-store.ts";
import { BackgroundTask, type TaskDeps } from "./background-task.ts";

/** The responses that this process carries out in the background. */
export class BackgroundRunner extends LeasedTaskRunner<BackgroundTask, BackgroundResponse> {
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

  protected renewLeases(ids: readonly string[], untilMs: number): Promise<readonly Held[]> {
    return this.deps.store.renew(this.owner, ids, untilMs);
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
