import type { Reply, Request } from "../../src/storage/sqlite/protocol.ts";
import { type SpawnWorker, spawnSqliteWorker } from "../../src/storage/sqlite/supervised-worker.ts";
import { type SqliteThreads, sqliteThreads } from "../../src/storage/sqlite/threads.ts";

// Starting a SQLite thread costs 15 ms of CPU time, and each test app needs two or three. The threads of a closed database
// therefore serve the next one: a thread that was asked to close its file opens another.

const idle: Worker[] = [];
/** `WorkerLink` counts its requests from 1. */
const CLOSE: Request = { id: -1, kind: "close" };

/** SQLite threads for a data folder, taken from the idle ones where there are any. */
export const reusedThreads = (dataDir: string, timeoutMs: number): SqliteThreads =>
  sqliteThreads({ dataDir, timeoutMs, spawn: reuse });

const reuse: SpawnWorker = (role) => new ReusedWorker(idle.pop() ?? spawnSqliteWorker(role)) as unknown as Worker;

/** The part of `Worker` that `WorkerLink` uses. Terminating it makes the thread idle instead of ending it. */
class ReusedWorker extends EventTarget {
  readonly #thread: Worker;
  readonly #received = (event: MessageEvent<Reply>) => this.#receive(event.data);
  readonly #failed = (event: ErrorEvent) => this.dispatchEvent(new ErrorEvent("error", { message: event.message }));
  readonly #ended = () => this.dispatchEvent(new Event("close"));

  constructor(thread: Worker) {
    super();
    this.#thread = thread;
    thread.addEventListener("message", this.#received);
    thread.addEventListener("error", this.#failed);
    thread.addEventListener("close", this.#ended);
  }

  postMessage(request: Request): void {
    this.#thread.postMessage(request);
  }

  ref(): void {
    this.#thread.ref();
  }

  unref(): void {
    this.#thread.unref();
  }

  terminate(): void {
    this.#thread.ref();
    this.#thread.postMessage(CLOSE);
  }

  #receive(reply: Reply): void {
    if (reply.id !== CLOSE.id) {
      this.dispatchEvent(new MessageEvent("message", { data: reply }));
      return;
    }
    this.#thread.removeEventListener("message", this.#received);
    this.#thread.removeEventListener("error", this.#failed);
    this.#thread.removeEventListener("close", this.#ended);
    this.#thread.unref();
    idle.push(this.#thread);
    this.#ended();
  }
}
