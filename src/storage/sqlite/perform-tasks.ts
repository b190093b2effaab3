import type { OpenSettings, Outcome, Reply, Request, Task } from "./protocol.ts";
import { failureOf, SqliteFile } from "./sqlite-file.ts";

const DONE: Outcome = { ok: true, rows: [], affected: 0 };

/** Performs the requests to one SQLite file, in the order in which they arrive. */
export class TaskPerformer {
  #settings: OpenSettings | null = null;
  #file: SqliteFile | null = null;
  /** The rows of the next sequence, which arrive before it. */
  #rows: string[] = [];

  /** Returns null for a request that gets no reply. */
  perform(request: Request): Reply | null {
    if (request.kind === "rows") {
      this.#rows.push(request.lists);
      return null;
    }
    const outcomes = this.#outcomesOf(request);
    this.#rows = [];
    return { id: request.id, outcomes };
  }

  #outcomesOf(task: Exclude<Task, { kind: "rows" }>): readonly Outcome[] {
    try {
      switch (task.kind) {
        case "open":
          this.#settings = task.settings;
          return [DONE];
        case "run":
          return this.#opened().run(task.statements);
        case "sequence":
          return this.#opened().runSequence(task.steps, this.#rows);
        case "rollback":
          this.#file?.rollback();
          return [DONE];
        case "close":
          this.#file?.close();
          this.#file = null;
          return [DONE];
      }
    } catch (error) {
      const failed: Outcome = { ok: false, failure: failureOf(error) };
      return task.kind === "run" ? task.statements.map(() => failed) : [failed];
    }
  }

  /** Opens the file at its first use. A failed attempt is repeated, so that a restored folder is enough. */
  #opened(): SqliteFile {
    if (this.#settings === null) throw new Error("The worker received a statement before the path of its file");
    this.#file ??= new SqliteFile(this.#settings);
    return this.#file;
  }
}
