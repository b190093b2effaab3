import { TaskPerformer } from "../../src/storage/sqlite/perform-tasks.ts";
import type { Request } from "../../src/storage/sqlite/protocol.ts";
import { type SqliteThreads, sqliteThreads } from "../../src/storage/sqlite/threads.ts";

/**
 * SQLite on the thread of the test: no thread to start for each app, and no message for each statement. The threads
 * themselves are tested by the storage tests, and by every test that starts the program.
 */
export const inlineSqlite = (dataDir: string, timeoutMs: number): SqliteThreads =>
  sqliteThreads({ dataDir, timeoutMs, spawn: () => new InlineWorker() as unknown as Worker });

/** The part of `Worker` that `WorkerLink` uses. A reply arrives after the caller's turn, as one from a thread does. */
class InlineWorker extends EventTarget {
  readonly #performer = new TaskPerformer();

  postMessage(request: Request): void {
    const reply = this.#performer.perform(structuredClone(request));
    if (reply !== null) setImmediate(() => this.dispatchEvent(new MessageEvent("message", { data: reply })));
  }

  ref(): void {}

  unref(): void {}

  terminate(): void {
    this.#performer.perform({ id: -1, kind: "close" });
    setImmediate(() => this.dispatchEvent(new Event("close")));
  }
}
