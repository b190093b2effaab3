import {
  EachRow,
  type OpenSettings,
  type Outcome,
  type Reply,
  type Request,
  type Statement,
  type Step,
  type Task,
} from "./protocol.ts";
import { SqliteError, SqliteWorkerLost } from "./sqlite-error.ts";

interface Waiting {
  resolve(outcomes: readonly Outcome[]): void;
  reject(error: Error): void;
}

/** The line to one worker. Once it is lost it stays lost, so that half a transaction never goes on in the next worker. */
export class WorkerLink {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closed = Promise.withResolvers<void>();
  #nextId = 1;
  #lost: SqliteWorkerLost | null = null;

  constructor(worker: Worker, settings: OpenSettings) {
    this.#worker = worker;
    worker.unref();
    worker.addEventListener("message", (event: MessageEvent<Reply>) => this.#settle(event.data));
    worker.addEventListener("error", (event) => this.#lose(event.message));
    worker.addEventListener("close", () => {
      this.#lose("it ended");
      this.#closed.resolve();
    });
    // Only a lost worker can fail here, and the next call says so.
    this.#ask({ kind: "open", settings }).catch(() => {});
  }

  get lost(): boolean {
    return this.#lost !== null;
  }

  /** Resolves when the thread is gone and has given its file handles back. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  run(statements: readonly Statement[]): Promise<readonly Outcome[]> {
    return this.#ask({ kind: "run", statements });
  }

  async runOne(statement: Statement): Promise<Outcome> {
    const isEach = statement.parameters[0] instanceof EachRow;
    const [outcome] = await (isEach ? this.runSequence([statement]) : this.run([statement]));
    if (outcome === undefined) throw new Error("the SQLite worker left a statement unanswered");
    return outcome;
  }

  /** One after the other, up to the first that fails: the outcomes of those that were run. */
  runSequence(statements: readonly Statement[]): Promise<readonly Outcome[]> {
    return this.#ask({ kind: "sequence", steps: statements.map((statement) => this.#stepOf(statement)) });
  }

  async rollback(): Promise<void> {
    const [outcome] = await this.#ask({ kind: "rollback" });
    if (outcome?.ok === false) throw new SqliteError(outcome.failure);
  }

  async close(): Promise<void> {
    await this.#ask({ kind: "close" }).catch(() => {});
    await this.terminate();
  }

  async terminate(): Promise<void> {
    this.#worker.terminate();
    await this.closed;
  }

  #stepOf(statement: Statement): Step {
    const [first] = statement.parameters;
    if (!(first instanceof EachRow)) return statement;
    if (this.#lost === null) this.#worker.postMessage({ id: 0, kind: "rows", lists: first.lists } satisfies Request);
    return { sql: statement.sql, parameters: [], each: true };
  }

  #ask(task: Task): Promise<readonly Outcome[]> {
    if (this.#lost !== null) return Promise.reject(this.#lost);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Outcome[]>();
    const request: Request = { id: this.#nextId++, ...task };
    try {
      this.#worker.postMessage(request);
    } catch (error) {
      return Promise.reject(error);
    }
    // A worker holds the process open only while somebody waits for it.
    if (this.#waiting.size === 0) this.#worker.ref();
    this.#waiting.set(request.id, { resolve, reject });
    return promise;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    waiting?.resolve(reply.outcomes);
  }

  #lose(reason: string): void {
    this.#lost ??= new SqliteWorkerLost(`The SQLite worker is gone: ${reason}`);
    for (const waiting of this.#waiting.values()) waiting.reject(this.#lost);
    this.#waiting.clear();
  }
}
