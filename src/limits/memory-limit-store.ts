import type { AcquireReply, Change, LimitRequest, SyncReply } from "./limit-store.ts";
import { PARALLEL_RETRY_MS } from "./meter.ts";
import { Windows } from "./windows.ts";

/** The limits of several processes in the memory of the one that started them. Decides as the scripts in Redis do. */
export class MemoryLimitStore {
  private readonly windows = new Windows();
  /** Calls that run, by limit and process. */
  private readonly running = new Map<string, Map<string, number>>();
  private readonly processes = new Set<string>();

  constructor(
    private readonly epoch: string,
    private readonly nowMs: () => number,
  ) {}

  take(process: string, asks: readonly LimitRequest[]): AcquireReply {
    const now = this.nowMs();
    const [used, waits, resets]: [number[], number[], number[]] = [[], [], []];
    for (const { id, counted, limit, amount, running } of asks) {
      if (counted === "parallel") {
        const all = running + this.runningOfOthers(id, process);
        used.push(all);
        waits.push(all + amount > limit ? PARALLEL_RETRY_MS : 0);
        resets.push(0);
      } else {
        const window = this.windows.get(id, now);
        waits.push(window.waitMs(amount, limit, now));
        used.push(window.used);
        resets.push(window.resetMs(now));
      }
    }
    const admitted = waits.every((wait) => wait === 0);
    if (admitted) for (const ask of asks) this.add(process, ask, now);
    return { epoch: this.epoch, now, admitted, used, waits, resets };
  }

  tell(process: string, changes: readonly Change[]): SyncReply {
    const now = this.nowMs();
    this.processes.add(process);
    for (const { id, at, amount } of changes) {
      if (at === "parallel") this.setRunning(id, process, amount);
      else if (amount > 0) this.windows.get(id, now).add(amount, Math.min(now, at), true);
      else this.windows.get(id, now).giveBack(-amount, at, now);
    }
    return { epoch: this.epoch, now, processes: this.processes.size };
  }

  leave(process: string): void {
    this.processes.delete(process);
    for (const id of this.running.keys()) this.setRunning(id, process, 0);
  }

  private add(process: string, { id, counted, amount, running }: LimitRequest, now: number): void {
    if (counted === "parallel") this.setRunning(id, process, running + amount);
    else this.windows.get(id, now).add(amount, now, true);
  }

  private runningOfOthers(id: string, process: string): number {
    let sum = 0;
    for (const [other, calls] of this.running.get(id) ?? []) if (other !== process) sum += calls;
    return sum;
  }

  private setRunning(id: string, process: string, calls: number): void {
    const all = this.running.get(id) ?? new Map<string, number>();
    if (calls > 0) all.set(process, calls);
    else all.delete(process);
    if (all.size > 0) this.running.set(id, all);
    else this.running.delete(id);
  }
}
