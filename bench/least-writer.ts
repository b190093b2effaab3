// The thread of `least.ts` that writes the rows of its calls to SQLite.

import { Database } from "bun:sqlite";
import { join } from "node:path";

declare const self: Worker;

const COLUMNS = 13;
const BUSY_TIMEOUT_MS = 60_000;
let insert: ((rows: unknown[][]) => void) | null = null;

self.onmessage = ({ data }: MessageEvent<{ folder: string } | { rows: string }>) => {
  if ("folder" in data) insert = open(data.folder);
  else insert?.(JSON.parse(data.rows) as unknown[][]);
};

function open(folder: string): (rows: unknown[][]) => void {
  const database = new Database(join(folder, "least.db"));
  database.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
  database.run("pragma journal_mode = wal");
  const names = Array.from({ length: COLUMNS }, (_, index) => `c${index}`);
  database.run(`create table calls (${names.join(", ")})`);
  database.run("create unique index calls_by_id on calls (c0)");
  database.run("create index calls_by_key on calls (c2, c1)");
  const statement = database.query(`insert into calls values (${names.map(() => "?").join(", ")})`);
  return database.transaction((rows: unknown[][]) => {
    for (const row of rows) statement.run(...(row as string[]));
  });
}
