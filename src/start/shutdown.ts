import type { Logger } from "../lib/log.ts";

/** A supervisor that signals every process of a group asks once, however many signals arrive. */
const SAME_REQUEST_MS = 1_000;

/** From the first signal to the exit code: drain, then end; asked again, end at once. */
export class Shutdown {
  private readonly end = Promise.withResolvers<number>();
  private askedAtMs: number | null = null;

  constructor(
    private readonly log: Logger,
    private readonly drain: () => Promise<boolean>,
  ) {
    process.on("SIGTERM", () => this.ask("SIGTERM"));
    process.on("SIGINT", () => this.ask("SIGINT"));
  }

  get draining(): boolean {
    return this.askedAtMs !== null;
  }

  /** The exit code, when the time for it has come. */
  get ended(): Promise<number> {
    return this.end.promise;
  }

  /** Something that cannot be gone on with. */
  fail(thrown: unknown): void {
    this.end.reject(thrown);
  }

  /** Drains and ends; asked again, ends at once. */
  ask(signal: string): void {
    if (this.askedAtMs !== null) {
      if (performance.now() - this.askedAtMs > SAME_REQUEST_MS) this.end.resolve(1);
      return;
    }
    this.askedAtMs = performance.now();
    const drained = this.drain();
    this.log.info({ signal }, "draining");
    drained.then(
      (finished) => {
        this.log.info({ finished }, "stopped");
        this.end.resolve(0);
      },
      (thrown) => this.end.reject(thrown),
    );
  }
}
