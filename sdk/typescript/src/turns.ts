import { Failure } from "./failure.ts";

const busy = () =>
  new Failure(503, "busy", "the participant is busy; try again later", { headers: { "retry-after": "1" } });

/** One at a time, first ready first served, and only so many who wait. */
export class Turns {
  private readonly waiting: Array<() => void> = [];
  private present = 0;
  private started = 0;

  constructor(
    private readonly atOnce: number,
    private readonly queueMax: number,
  ) {}

  get running(): number {
    return this.started;
  }

  get queued(): number {
    return this.present - this.running;
  }

  /**
   * Takes a place, so that bodies are few. It is not a turn yet: a body that comes slowly must not hold up those that are here.
   */
  enter(): Turn {
    if (this.present >= this.atOnce + this.queueMax) throw busy();
    this.present++;
    let start: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    let state: "arriving" | "ready" | "left" = "arriving";
    return {
      started,
      ready: () => {
        if (state !== "arriving") return;
        state = "ready";
        this.waiting.push(start);
        this.startNext();
      },
      leave: () => {
        if (state === "left") return;
        const at = this.waiting.indexOf(start);
        if (at >= 0) this.waiting.splice(at, 1);
        else if (state === "ready") this.started--;
        state = "left";
        this.present--;
        this.startNext();
      },
    };
  }

  private startNext(): void {
    if (this.started >= this.atOnce) return;
    const start = this.waiting.shift();
    if (start === undefined) return;
    this.started++;
    start();
  }
}

export interface Turn {
  /** Resolves when it is this one's turn, some time after it was ready. */
  readonly started: Promise<void>;
  /** Its body is here: it stands in line from now on. */
  ready(): void;
  leave(): void;
}
