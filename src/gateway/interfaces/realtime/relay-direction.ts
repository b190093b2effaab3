export type Frame = string | Uint8Array;

/** What can be told to wait. */
interface Source {
  pause(): void;
  resume(): void;
}

/** The frames of one side, one after the other: while one of them, or the other side, is waited for, nothing more is read. */
export class RelayDirection {
  private readonly queue: Frame[] = [];
  private blocks = 0;

  constructor(
    private readonly take: (frame: Frame) => Promise<void> | null,
    private readonly source: () => Source | null,
  ) {}

  /** Those that had been read already when it was told to wait do so here; there are few. */
  push(frame: Frame): void {
    if (this.blocks > 0) this.queue.push(frame);
    else this.run(frame);
  }

  block(): void {
    if (this.blocks++ === 0) this.source()?.pause();
  }

  unblock(): void {
    this.blocks--;
    while (this.blocks === 0) {
      const next = this.queue.shift();
      if (next === undefined) {
        this.source()?.resume();
        return;
      }
      this.run(next);
    }
  }

  private run(frame: Frame): void {
    const pending = this.take(frame);
    if (pending === null) return;
    this.block();
    void pending.finally(() => this.unblock());
  }
}
