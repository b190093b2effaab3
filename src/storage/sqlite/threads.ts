import { join } from "node:path";
import { type SpawnWorker, SupervisedWorker, spawnSqliteWorker } from "./supervised-worker.ts";

export interface SqliteLocation {
  readonly dataDir: string;
  /** How long to wait for the writer, and for other programs that hold the file. */
  readonly timeoutMs: number;
  /** Tests hand one in to get at the threads. */
  readonly spawn?: SpawnWorker;
}

/** The threads that a database lives in. */
export interface SqliteThreads {
  readonly path: string;
  readonly timeoutMs: number;
  readonly spawn: SpawnWorker;
  readonly writer: SupervisedWorker;
  readonly reader: SupervisedWorker;
  /** Reads what may take seconds where there are many calls, so that nothing else waits for it. */
  readonly bookReader: SupervisedWorker;
}

/** They begin with the first call, unless `start` is called before; the file is opened by the first call in any case. */
export function sqliteThreads({ dataDir, timeoutMs, spawn = spawnSqliteWorker }: SqliteLocation): SqliteThreads {
  const path = join(dataDir, "turnpike.db");
  const workerOf = (role: "writer" | "reader") => new SupervisedWorker({ path, role, busyTimeoutMs: timeoutMs }, spawn);
  return {
    path,
    timeoutMs,
    spawn,
    writer: workerOf("writer"),
    reader: workerOf("reader"),
    bookReader: workerOf("reader"),
  };
}
