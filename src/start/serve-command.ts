import type { Config } from "../config/config.ts";
import type { Fault } from "../config/fault.ts";
import { createLogger, type Logger } from "../lib/log.ts";
import { type SqliteThreads, sqliteThreads } from "../storage/sqlite/threads.ts";
import type { ServeFlags } from "./program.ts";
import { readConfig, withFlags } from "./read-config.ts";
import { joinSupervisor } from "./worker-side.ts";

/** `turnpike serve`: one process that does everything, or a supervisor and its workers. Each loads only what it needs. */
export async function serveCommand(flags: ServeFlags): Promise<number> {
  const env = withFlags(process.env, flags);
  const worker = joinSupervisor(process.env);
  const read = readConfig(flags.config ?? null, env, await worker?.config.last());
  const { config, warnings, texts } = read;
  const log = createLogger(config.server.logLevel);
  if (worker !== null) {
    const threads = startThreads(config);
    const { serve } = await import("./serve.ts");
    return serve({ flags, env, read, worker, threads, log: log.child({ worker: worker.number }) });
  }
  logWarnings(log, warnings);
  if (config.server.workers > 1) return (await import("./supervise.ts")).supervise(config, texts, log);
  const threads = startThreads(config);
  return (await import("./serve.ts")).serve({ flags, env, read, worker, threads, log });
}

/** Logs each warning once. An unset variable concerns every deployment that uses it. */
function logWarnings(log: Logger, warnings: readonly Fault[]): void {
  for (const [first, ...others] of Map.groupBy(warnings, ({ message }) => message).values()) {
    if (!first) continue;
    const { file, line, path, message } = first;
    const places = others.length === 0 ? {} : { others: others.map((other) => other.path) };
    log.warn({ file, line, path, ...places }, message);
  }
}

/** The threads of SQLite begin while this one reads the rest of the program: 20 ms less to the first answer. */
function startThreads({ databaseUrl, dataDir, databaseTimeoutMs }: Config): SqliteThreads | null {
  if (databaseUrl !== null) return null;
  const threads = sqliteThreads({ dataDir, timeoutMs: databaseTimeoutMs });
  threads.writer.start();
  threads.reader.start();
  return threads;
}
