import { SqliteWriterBusy } from "./sqlite-error.ts";

type EndTurn = () => void;

interface Waiting {
  grant(): void;
}

/** One holder at a time, first come first served. Whoever waits for too long is told so instead of hanging. */
export class TurnQueue {
  readonly #waiting: Waiting[] = [];
  #taken = false;

  constructor(private readonly waitMs: number) {}

  /** Resolves to the function that ends the turn; calling it again does nothing. */
  take(): Promise<EndTurn> {
    if (!this.#taken) {
      this.#taken = true;
      return Promise.resolve(this.#endTurn());
    }
    const { promise, resolve, reject } = Promise.withResolvers<EndTurn>();
    const waiting: Waiting = {
      grant: () => {
        clearTimeout(timer);
        resolve(this.#endTurn());
      },
    };
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      reject(new SqliteWriterBusy("Another transaction has kept the writer for too long."));
    }, this.waitMs);
    this.#waiting.push(waiting);
    return promise;
  }

  #endTurn(): EndTurn {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#taken = false;
      else next.grant();
    };
  }
}
