/**
 * Prints the delay of the event loop while rows are written through the SQLite storage, beside the same writes made
 * on the main thread, and what sharing a commit is worth. Usage: bun scripts/measure-storage.ts [rows/s] [seconds]
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { sql } from "kysely";
import { openBackend } from "../src/storage/open.ts";

const ROWS_PER_SECOND = Number(process.argv[2] ?? 1_000);
const SECONDS = Number(process.argv[3] ?? 10);
const TICK_MS = 10;
const ROWS_PER_TICK = Math.max(1, Math.round((ROWS_PER_SECOND * TICK_MS) / 1_000));
const TABLE = "create table usage_rows (id integer primary key, request_id text unique, cost bigint, payload text)";
const PAYLOAD = "x".repeat(400);

const folder = mkdtempSync(join(tmpdir(), "turnpike-measure-"));
let serial = 0;

/** Writes at the asked rate, the same number every few milliseconds, and measures the loop meanwhile. */
async function measure(name: string, write: (requestId: string) => Promise<unknown> | undefined): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpu = process.cpuUsage();
  const latencies: number[] = [];
  const writes: Promise<unknown>[] = [];
  let refused = 0;
  const startedAt = performance.now();
  delay.enable();
  for (let due = startedAt; due < startedAt + SECONDS * 1_000; due += TICK_MS) {
    await Bun.sleep(Math.max(0, due - performance.now()));
    for (let row = 0; row < ROWS_PER_TICK; row++) {
      const sentAt = performance.now();
      const written = Promise.resolve(write(`request ${++serial}`));
      // More than the disk can take is refused after the timeout; that is a result, not a fault of the script.
      writes.push(written.then(() => latencies.push(performance.now() - sentAt)).catch(() => refused++));
    }
  }
  await Promise.all(writes);
  delay.disable();
  const elapsedMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  latencies.sort((a, b) => a - b);
  console.log(
    [
      name.padEnd(34),
      `${Math.round((latencies.length / elapsedMs) * 1_000)} rows/s`,
      `loop p50 ${ms(delay.percentile(50) / 1e6)} p99 ${ms(delay.percentile(99) / 1e6)} max ${ms(delay.max / 1e6)}`,
      `write p50 ${ms(at(latencies, 0.5))} p99 ${ms(at(latencies, 0.99))}`,
      `cpu ${Math.round((user + system) / 1_000 / SECONDS)} ms/s`,
      ...(refused > 0 ? [`${refused} refused`] : []),
    ].join("  "),
  );
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

async function inWorkers(): Promise<void> {
  const backend = openBackend({ databaseUrl: null, dataDir: join(folder, "workers") });
  const db = backend.db.withTables<{ usageRows: { requestId: string; cost: bigint; payload: string } }>();
  await sql.raw(TABLE).execute(db);
  const row = (requestId: string) => ({ requestId, cost: 2n ** 60n, payload: PAYLOAD });
  await measure("workers, single writes (grouped)", (id) => db.insertInto("usageRows").values(row(id)).execute());
  await measure("workers, a transaction per row", (id) =>
    db.transaction().execute((trx) => trx.insertInto("usageRows").values(row(id)).execute()),
  );
  await burst("a burst of 2,000, grouped", (id) => db.insertInto("usageRows").values(row(id)).execute());
  await burst("a burst of 2,000, one commit each", (id) =>
    sql`insert into usage_rows (request_id, cost, payload) values (${id}, ${2n ** 60n}, ${PAYLOAD})`.execute(db),
  );
  await backend.close();
}

/** Raw SQL is never grouped, which gives the comparison. */
async function burst(name: string, write: (requestId: string) => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: 2_000 }, () => write(`request ${++serial}`)));
  console.log(name.padEnd(34), `${Math.round(2_000_000 / (performance.now() - startedAt))} rows/s`);
}

async function onMainThread(): Promise<void> {
  const db = new Database(join(folder, "main.db"));
  db.run("pragma journal_mode = wal");
  db.run("pragma synchronous = full");
  db.run(TABLE);
  const insert = db.prepare("insert into usage_rows (request_id, cost, payload) values (?, ?, ?)");
  await measure("main thread, single writes", (id) => {
    insert.run(id, 2n ** 60n, PAYLOAD);
    return undefined;
  });
  db.close();
}

try {
  await measure("nothing written", () => undefined);
  await inWorkers();
  await onMainThread();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
