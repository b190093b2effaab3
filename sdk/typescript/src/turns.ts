import { Failure } from "./failure.ts";

const busy = () =>
  new Failure(503, "busy", "the participant is busy; try again later", { headers: { "retry-after": "1" } });

/** One at a time, first come first served, and only so many who wait. */
export class Turns {
  private readonly waiting: Array<() => void> = [];
  private present = 0;

  constructor(
    private readonly atOnce: number,
    private readonly queueMax: number,
  ) {}

  get running(): number {
    return Math.min(this.present, this.atOnce);
  }

  get queued(): number {
    return this.present - this.running;
  }

  /** Takes a place, in the queue at least. It is taken before the body is read, so that waiting bodies are few. */
  enter(): Turn {
    if (this.present >= this.atOnce + this.queueMax) throw busy();
    this.present++;
    let start: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    if (this.present <= this.atOnce) start();
    else this.waiting.push(start);
    let left = false;
    return {
      started,
      leave: () => {
        if (left) return;
        left = true;
        this.present--;
        const at = this.waiting.indexOf(start);
        if (at >= 0) this.waiting.splice(at, 1);
        else this.waiting.shift()?.();
      },
    };
  }
}

export interface Turn {
  /** Resolves when it is this one's turn. */
  readonly started: Promise<void>;
  leave(): void;
}
