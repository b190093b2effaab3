import type { OpenSettings, Outcome, Reply, Request, Task } from "./protocol.ts";
import { failureOf, SqliteFile } from "./sqlite-file.ts";

declare const self: Worker;

const DONE: Outcome = { ok: true, rows: [], affected: 0 };

let settings: OpenSettings | null = null;
let file: SqliteFile | null = null;
/** Sent ahead, for the steps of the sequence that comes next. */
let rows: string[] = [];

self.onmessage = (event: MessageEvent<Request>) => {
  if (event.data.kind === "rows") {
    rows.push(event.data.lists);
    return;
  }
  const reply: Reply = { id: event.data.id, outcomes: perform(event.data, rows) };
  rows = [];
  self.postMessage(reply);
};

function perform(task: Task, lists: readonly string[]): readonly Outcome[] {
  try {
    switch (task.kind) {
      case "open":
        settings = task.settings;
        return [DONE];
      case "run":
        return opened().run(task.statements);
      case "sequence":
        return opened().runSequence(task.steps, lists);
      case "rows":
        return [];
      case "rollback":
        file?.rollback();
        return [DONE];
      case "close":
        file?.close();
        file = null;
        return [DONE];
    }
  } catch (error) {
    const failed: Outcome = { ok: false, failure: failureOf(error) };
    return task.kind === "run" ? task.statements.map(() => failed) : [failed];
  }
}

/** Opened at the first use and tried again after a failure, so that a folder that comes back is enough. */
function opened(): SqliteFile {
  if (settings === null) throw new Error("the worker was not told which file to open");
  file ??= new SqliteFile(settings);
  return file;
}
