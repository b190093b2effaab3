import { GatewayError } from "../contract/errors.ts";
import type { ResponseAnswer } from "../contract/responses.ts";
import type { Clock } from "../lib/clock.ts";
import type { LeasedTask, StopReason } from "../lib/leased-task-runner.ts";
import type { Logger } from "../lib/log.ts";
import { sleep } from "../lib/sleep.ts";
import { claim, finish } from "./background-states.ts";
import type { BackgroundResponse, BackgroundStore } from "./background-store.ts";
import { splitEvents } from "./response-event.ts";

/** Between two writings of events: each is a transaction. */
const WRITE_PAUSE_MS = 100;
/** A paid answer that cannot be written is written when the database is back. */
const RETRY_MS = 1_000;
const RETRIES_MAX = 600;

/** What a response has come to, and the events that tell it. */
export interface Outcome {
  readonly answer: ResponseAnswer;
  readonly events: string;
}

export interface TaskDeps {
  readonly store: BackgroundStore;
  /** Asks the model, as the key of the response and like any call of it, and tells what comes. Whatever fails is an outcome. */
  readonly answer: (
    work: BackgroundResponse,
    begun: ResponseAnswer,
    signal: AbortSignal,
    tell: (events: string) => void,
  ) => Promise<Outcome>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One response, from being taken up to its end. */
export class BackgroundTask implements LeasedTask {
  readonly id: string;
  readonly ended: Promise<void>;
  isTaken = false;
  private readonly done = Promise.withResolvers<void>();
  private readonly aborter = new AbortController();
  private readonly told = Promise.withResolvers<void>();
  private halted: StopReason | null = null;
  /** Events that are not written yet, and the number of the first of them. */
  private untold = "";
  private from = 0;
  private writing: Promise<void> | null = null;

  constructor(
    private readonly deps: TaskDeps,
    private readonly owner: string,
    { id }: BackgroundResponse,
    /** Something was written that others may wait for. */
    private readonly onWritten: (id: string) => void,
  ) {
    this.id = id;
    this.ended = this.done.promise;
  }

  halt(reason: StopReason): void {
    this.halted ??= reason;
    this.aborter.abort(new GatewayError("unavailable", "The server was stopped before the response was whole."));
  }

  async carryOut(): Promise<void> {
    try {
      await this.work();
    } catch (err) {
      // The database is away: whoever takes it up finds it when the lease is over.
      this.deps.log.warn({ responseId: this.id, err }, "a response in the background could not be brought to its end");
    } finally {
      this.onWritten(this.id);
      this.done.resolve();
    }
  }

  private async work(): Promise<void> {
    const { store, clock, answer } = this.deps;
    // One that only waits is left to whoever takes it up.
    if (this.halted) return;
    const taker = { owner: this.owner, now: clock.nowMs() };
    const begun = await store.change(this.id, (work, kept) => claim(work, kept, taker));
    if (begun?.work.status !== "in_progress") return;
    this.isTaken = true;
    this.from = begun.work.told;
    const outcome = await answer(begun.work, begun.answer, this.aborter.signal, (events) => this.tell(events));
    this.told.resolve();
    await this.writing;
    if (this.halted !== "lost") await this.write(outcome);
  }

  /** The end, with the events that could not be written before. */
  private async write({ answer, events }: Outcome): Promise<void> {
    const { store, clock, log } = this.deps;
    for (let tries = 0; ; tries++) {
      try {
        await store.change(this.id, (work) =>
          finish({ ...work, told: this.from }, { owner: this.owner, now: clock.nowMs() }, answer, this.untold + events),
        );
        return;
      } catch (err) {
        if (this.halted || tries >= RETRIES_MAX) throw err;
        if (tries === 0) log.warn({ responseId: this.id, err }, "a response cannot be written; trying again");
        await sleep(RETRY_MS, this.aborter.signal).catch(() => undefined);
      }
    }
  }

  private tell(events: string): void {
    if (events === "") return;
    this.untold += events;
    this.writing ??= this.writeEvents();
  }

  /** What comes while some are written goes with the next. What cannot be written waits for the next time, or the end. */
  private async writeEvents(): Promise<void> {
    try {
      while (this.untold !== "" && !this.halted) {
        const events = this.untold;
        if (!(await this.deps.store.append(this.owner, this.id, this.from, events))) return this.halt("lost");
        this.untold = this.untold.slice(events.length);
        this.from += splitEvents(events).length;
        this.onWritten(this.id);
        await Promise.race([sleep(WRITE_PAUSE_MS), this.told.promise]);
      }
    } catch (err) {
      this.deps.log.debug({ responseId: this.id, err }, "events could not be written; trying again");
    } finally {
      this.writing = null;
    }
  }
}
