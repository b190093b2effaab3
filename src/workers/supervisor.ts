import { type Frame, Link } from "../lib/link.ts";
import type { Logger } from "../lib/log.ts";
import { SerialQueue } from "../lib/serial-queue.ts";
import { systemTimers, type Timers } from "../lib/timers.ts";
import { ACK_TIMEOUT_MS, BROADCAST } from "./worker-bus.ts";

/** A process that serves calls, as the supervisor sees it. */
export interface WorkerProcess {
  readonly pid: number;
  send(frames: readonly Frame[]): void;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; above 128 where a signal ended it. */
  readonly exited: Promise<number>;
}

/** What a worker is told when its turn to begin has come. */
export interface Place {
  /** The port that all share; null for the very first one, which finds it out and greets whoever started the server. */
  readonly port: number | null;
  readonly workers: number;
}

/** Names of what a worker calls: it asks for its place, and says that it serves. */
export const BEGIN = "begin";
export const SERVING = "serving";
/** What a worker asks that could not answer calls yet. */
export const OTHERS_SERVE = "others-serve";
/** What a worker is asked to find out whether it still does anything at all. */
export const ALIVE = "alive";

export interface SupervisorOptions {
  readonly count: number;
  readonly spawn: (number: number, receive: (frames: readonly Frame[]) => void) => WorkerProcess;
  /** Offers over the link of a new worker what workers may ask for; gives what to do when that one is gone. */
  readonly offer: (link: Link) => () => void;
  readonly log: Pick<Logger, "info" | "warn" | "error">;
  readonly timers?: Timers;
  readonly nowMs?: () => number;
}

const FIRST_PAUSE_MS = 100;
const PAUSE_MAX_MS = 30_000;
/** How often a worker may be killed before any worker has served. Then the server cannot start on this machine. */
const KILLS_BEFORE_SERVING_MAX = 3;
/** A worker that served for so long counts as one that can; its next end is the first again. */
const STEADY_MS = 60_000;

/** Workers are asked this often; one that leaves so many questions in a row without an answer hangs. */
export const LOOK_MS = 10_000;
const MISSED_MAX = 3;

interface Worker {
  readonly number: number;
  readonly process: WorkerProcess;
  readonly link: Link;
  readonly startedAtMs: number;
  /** Resolves when it serves, or is gone. */
  readonly begun: PromiseWithResolvers<void>;
  isServing: boolean;
  /** It was to read the configuration again before it could be told. */
  missedReload: boolean;
  /** Questions without an answer. */
  missed: number;
}

/** Keeps so many workers there, one like the other, and passes on what one of them tells to all. */
export class Supervisor {
  private readonly timers: Timers;
  private readonly nowMs: () => number;
  private readonly workers = new Map<number, Worker>();
  /** Ends in a row, by the number of the worker. */
  private readonly failures = new Map<number, number>();
  /** One begins at a time: what is made at the first start is made once, and none reads the journal of one that begins. */
  private readonly turns = new SerialQueue();
  private readonly end = Promise.withResolvers<number>();
  private port: number | null = null;
  /** Workers that have served. */
  private readonly seen = new Set<number>();
  private stopping = false;
  private code = 0;

  constructor(private readonly options: SupervisorOptions) {
    this.timers = options.timers ?? systemTimers;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Resolves with the exit code when no worker is left. */
  run(): Promise<number> {
    for (let number = 1; number <= this.options.count; number++) this.start(number);
    return this.end.promise;
  }

  /** Passes a signal on to all workers. */
  signal(signal: "SIGTERM" | "SIGINT" | "SIGHUP"): void {
    if (signal !== "SIGHUP") this.stopping = true;
    for (const worker of this.workers.values()) {
      // One that begins does not know the signal yet, and would end of it.
      if (signal === "SIGHUP" && !worker.isServing) worker.missedReload = true;
      else worker.process.kill(signal);
    }
    if (this.stopping) this.endIfDone();
  }

  private start(number: number): void {
    const { spawn, offer } = this.options;
    let process: WorkerProcess;
    try {
      process = spawn(number, (frames) => worker.link.receive(frames));
    } catch (err) {
      this.notStarted(number, err);
      return;
    }
    const link = new Link({ send: (frames) => process.send(frames) });
    const worker: Worker = {
      number,
      process,
      link,
      startedAtMs: this.nowMs(),
      begun: Promise.withResolvers<void>(),
      isServing: false,
      missedReload: false,
      missed: 0,
    };
    this.workers.set(number, worker);
    link.on(BEGIN, () => this.begin(worker));
    link.on(OTHERS_SERVE, () => this.othersServe(worker));
    link.on(SERVING, (port: number) => this.serves(worker, port));
    link.on(BROADCAST, (topic: string, args: readonly unknown[]) => this.spread(worker, topic, args));
    const leave = offer(link);
    process.exited.then((code) => {
      leave();
      this.gone(worker, code);
    });
  }

  /** Answers when it is the worker's turn, which ends when it serves or is gone; with nothing when all are to end. */
  private begin(worker: Worker): Promise<Place | null> {
    const place = Promise.withResolvers<Place | null>();
    // From now on, not only once it serves: while one begins, no other can.
    this.watch(worker);
    void this.turns.run(async () => {
      place.resolve(this.stopping ? null : { port: this.port, workers: this.options.count });
      if (!this.stopping) await worker.begun.promise;
    });
    return place.promise;
  }

  /** At the first start there is nobody who would know more than this one. */
  private othersServe(worker: Worker): boolean {
    const others = this.workers.values().filter((other) => other !== worker);
    return this.seen.size === this.options.count && others.some(({ isServing }) => isServing);
  }

  private serves(worker: Worker, port: number): void {
    const { log, count } = this.options;
    const wasSeen = this.seen.has(worker.number);
    this.port ??= port;
    worker.isServing = true;
    this.seen.add(worker.number);
    worker.begun.resolve();
    if (worker.missedReload) worker.process.kill("SIGHUP");
    if (wasSeen) log.info({ worker: worker.number, pid: worker.process.pid }, "a worker is back");
    else if (this.seen.size === count) log.info({ workers: count }, "all workers serve");
  }

  /** A worker that stands still would keep the connections that the kernel goes on giving it, or its turn to begin. */
  private watch(worker: Worker): void {
    const { number, process, link } = worker;
    this.timers.after(LOOK_MS, () => {
      if (this.workers.get(number) !== worker) return;
      if (worker.missed >= MISSED_MAX) {
        this.options.log.error({ worker: number, pid: process.pid }, "a worker does not answer any more; ending it");
        process.kill("SIGKILL");
        return;
      }
      worker.missed++;
      const answered = (): void => {
        worker.missed = 0;
      };
      link.call(ALIVE, []).then(answered, answered);
      this.watch(worker);
    });
  }

  private async spread(from: Worker, topic: string, args: readonly unknown[]): Promise<readonly unknown[]> {
    const others = [...this.workers.values()].filter((worker) => worker !== from && worker.isServing);
    const answers = await Promise.allSettled(others.map(({ link }) => link.call(topic, args, ACK_TIMEOUT_MS)));
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  }

  private gone(worker: Worker, code: number): void {
    const { number, process, link, begun } = worker;
    const { log } = this.options;
    this.workers.delete(number);
    link.close("the worker is gone");
    begun.resolve();
    if (this.stopping) {
      // The signal ends one that begins as it ends any process: nothing has failed.
      if (worker.isServing) this.code ||= code;
      this.endIfDone();
    } else if (!this.mayRestart(number, code)) {
      log.error({ worker: number, pid: process.pid, code }, "a worker ended before any served; stopping");
      this.stop(code);
    } else {
      const isSteady = worker.isServing && this.nowMs() - worker.startedAtMs >= STEADY_MS;
      if (isSteady) this.failures.delete(number);
      const pauseMs = this.startLater(number);
      log.error({ worker: number, pid: process.pid, code, pauseMs }, "a worker ended and is started again");
    }
  }

  /** Once a worker has served, the settings are good. Before that only a kill says nothing about them. */
  private mayRestart(number: number, code: number): boolean {
    if (this.port !== null) return true;
    return code > 128 && (this.failures.get(number) ?? 0) < KILLS_BEFORE_SERVING_MAX;
  }

  /** Starting a process fails if, for example, the machine has no memory left. */
  private notStarted(number: number, err: unknown): void {
    const { log } = this.options;
    if (this.port === null) {
      log.error({ worker: number, err }, "a worker cannot be started; stopping");
      this.stop(1);
    } else
      log.error({ worker: number, err, pauseMs: this.startLater(number) }, "a worker cannot be started; trying again");
  }

  private stop(code: number): void {
    this.code = code || 1;
    this.signal("SIGTERM");
  }

  /** Later each time in a row. Gives the pause. */
  private startLater(number: number): number {
    const failures = this.failures.get(number) ?? 0;
    this.failures.set(number, failures + 1);
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, PAUSE_MAX_MS);
    this.timers.after(pauseMs, () => {
      if (!this.stopping) this.start(number);
    });
    return pauseMs;
  }

  private endIfDone(): void {
    if (this.workers.size === 0) this.end.resolve(this.code);
  }
}
