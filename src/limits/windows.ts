import { SLOT_MS, SlidingWindow, WINDOW_MS } from "./sliding-window.ts";

const GENERATION_MS = WINDOW_MS + SLOT_MS;
/** Names of end users are the callers' own, so there may be any number of them: the least used are forgotten early. */
const ENTRIES_MAX = 300_000;

/**
 * The windows of everything that was limited lately. One that nobody asked for in a whole generation is empty, so an old
 * generation is dropped as a whole: nothing has to be searched for what is idle.
 */
export class Windows {
  private young = new Map<string, SlidingWindow>();
  private old = new Map<string, SlidingWindow>();
  private bornAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly entriesMax = ENTRIES_MAX) {}

  get size(): number {
    return this.young.size + this.old.size;
  }

  get(id: string, nowMs: number): SlidingWindow {
    if (nowMs - this.bornAtMs >= GENERATION_MS || this.young.size >= this.entriesMax) this.turn(nowMs);
    const present = this.young.get(id);
    if (present) return present;
    const window = this.old.get(id) ?? new SlidingWindow();
    this.old.delete(id);
    this.young.set(id, window);
    return window;
  }

  *[Symbol.iterator](): IterableIterator<[string, SlidingWindow]> {
    yield* this.old;
    yield* this.young;
  }

  private turn(nowMs: number): void {
    const isIdle = nowMs - this.bornAtMs >= 2 * GENERATION_MS;
    this.old = isIdle ? new Map() : this.young;
    this.young = new Map();
    this.bornAtMs = nowMs;
  }
}
