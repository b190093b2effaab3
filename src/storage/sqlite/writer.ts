import type { Outcome, Statement } from "./protocol.ts";
import type { SupervisedWorker } from "./supervised-worker.ts";
import type { TurnQueue } from "./turn-queue.ts";
import type { WorkerLink } from "./worker-link.ts";

/** Bounds how long a transaction may have to wait for a group in front of it. */
const GROUP_MAX = 256;

interface Waiting {
  readonly statement: Statement;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** The writer, held alone until `end`. */
export interface WriterTurn {
  readonly link: WorkerLink;
  end(): void;
}

/** The one door to the writing worker. */
export class Writer {
  #waiting: Waiting[] = [];
  #turnAsked = false;

  constructor(
    private readonly worker: SupervisedWorker,
    private readonly turns: TurnQueue,
  ) {}

  async takeTurn(): Promise<WriterTurn> {
    const end = await this.turns.take();
    try {
      return { link: await this.worker.link(), end };
    } catch (error) {
      end();
      throw error;
    }
  }

  async runAlone(statement: Statement): Promise<Outcome> {
    const turn = await this.takeTurn();
    try {
      return await turn.link.runOne(statement);
    } finally {
      turn.end();
    }
  }

  /** Writes that arrive while another one waits for the disk share the next commit. */
  runGrouped(statement: Statement): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#waiting.push({ statement, resolve, reject });
    if (!this.#turnAsked) void this.#runGroup();
    return promise;
  }

  async #runGroup(): Promise<void> {
    this.#turnAsked = true;
    let group: Waiting[] = [];
    let turn: WriterTurn | null = null;
    try {
      turn = await this.takeTurn();
      group = this.#takeGroup();
      const outcomes = await turn.link.run(group.map((waiting) => waiting.statement));
      for (const [index, waiting] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) throw new Error("the SQLite worker left a statement unanswered");
        waiting.resolve(outcome);
      }
    } catch (error) {
      if (turn === null) group = this.#takeGroup();
      for (const waiting of group) waiting.reject(error);
    } finally {
      turn?.end();
    }
  }

  #takeGroup(): Waiting[] {
    const group = this.#waiting.slice(0, GROUP_MAX);
    this.#waiting = this.#waiting.slice(GROUP_MAX);
    this.#turnAsked = false;
    // What does not fit stands in line again, behind those who came in between.
    if (this.#waiting.length > 0) void this.#runGroup();
    return group;
  }
}
