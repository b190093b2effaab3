interface Event {
  readonly atMs: number;
  readonly nth: number;
  readonly run: () => void;
}

/** Time that jumps from one event to the next. Events of one moment run in the order in which they were made. */
export class VirtualTime {
  private passedMs = 0;
  private made = 0;
  private readonly heap: Event[] = [];

  nowMs = (): number => this.passedMs;
  monotonicMs = (): number => this.passedMs;

  after(ms: number, run: () => void): void {
    this.heap.push({ atMs: this.passedMs + Math.max(0, ms), nth: this.made++, run });
    this.rise(this.heap.length - 1);
  }

  runAll(): void {
    for (let next = this.take(); next; next = this.take()) {
      this.passedMs = next.atMs;
      next.run();
    }
  }

  private take(): Event | undefined {
    const first = this.heap[0];
    const last = this.heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    this.heap[0] = last;
    this.sink();
    return first;
  }

  private rise(index: number): void {
    for (let at = index; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!this.swapIfLater(parent, at)) return;
      at = parent;
    }
  }

  private sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      if (left >= this.heap.length) return;
      const right = left + 1;
      const child = right < this.heap.length && isLater(this.heap[left], this.heap[right]) ? right : left;
      if (!this.swapIfLater(at, child)) return;
      at = child;
    }
  }

  private swapIfLater(upper: number, lower: number): boolean {
    const [above, below] = [this.heap[upper], this.heap[lower]];
    if (above === undefined || below === undefined || !isLater(above, below)) return false;
    this.heap[upper] = below;
    this.heap[lower] = above;
    return true;
  }
}

const isLater = (one: Event | undefined, other: Event | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  (one.atMs > other.atMs || (one.atMs === other.atMs && one.nth > other.nth));
