import type { Database } from "bun:sqlite";
import type { Seen } from "./load.ts";
import { type Served, tokensOf } from "./upstream.ts";

/** What the books say against what the provider and the clients know. Everything under `faults` must be empty. */
export interface BookReport {
  readonly servedCalls: number;
  readonly rows: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** Opened by a process that ended before the provider was asked. */
  readonly neverServed: number;
  readonly chargedNanoUsd: bigint;
  readonly faults: readonly string[];
}

interface Row {
  readonly marker: string;
  readonly status: string;
  readonly cost: bigint;
  readonly estimated: bigint;
  readonly rows: bigint;
}

/** In nano-USD per token, as configured. */
const INPUT_NANO = 1_000n;
const OUTPUT_NANO = 3_000n;

export function compareBooks(
  database: Database,
  served: Readonly<Record<string, Served>>,
  seen: readonly Seen[],
): BookReport {
  const rows = database
    .query<Row, []>(
      `select end_user as marker, min(status) as status, sum(cost) as cost, max(estimated) as estimated, count(*) as rows
       from usage_log where model = 'counted' group by end_user`,
    )
    .all();
  const byMarker = new Map(rows.map((row) => [row.marker, row]));
  const faults: string[] = [];
  for (const [marker, { requests }] of Object.entries(served)) {
    if (requests !== 1) faults.push(`${marker}: the provider was asked ${requests} times`);
    const row = byMarker.get(marker);
    if (!row) faults.push(`${marker}: the provider served it, the books do not have it`);
    else if (row.rows !== 1n) faults.push(`${marker}: ${row.rows} rows in the books`);
    else if (row.cost <= 0n && row.status !== "failed") faults.push(`${marker}: ${row.status}, and free`);
  }
  for (const { marker, outcome } of seen) {
    const row = byMarker.get(marker);
    if (outcome === "whole") faults.push(...wholeFaults(marker, row));
  }
  return {
    servedCalls: Object.keys(served).length,
    rows: rows.length,
    byStatus: countBy(rows),
    neverServed: rows.filter((row) => !served[row.marker] && row.status === "aborted").length,
    chargedNanoUsd: rows.reduce((sum, row) => sum + row.cost, 0n),
    faults: [...faults, ...ledgerFaults(database)],
  };
}

/** Whoever got the whole answer is charged exactly what the provider reported. */
function wholeFaults(marker: string, row: Row | undefined): string[] {
  if (!row) return [`${marker}: its client has the whole answer, the books do not have it`];
  const { prompt, completion } = tokensOf(marker);
  const due = BigInt(prompt) * INPUT_NANO + BigInt(completion) * OUTPUT_NANO;
  if (row.cost !== due) return [`${marker}: ${row.status}, charged ${row.cost} instead of ${due} nano-USD`];
  return row.status === "succeeded" && row.estimated === 0n ? [] : [`${marker}: whole, but ${row.status} in the books`];
}

function ledgerFaults(database: Database): string[] {
  const one = (sql: string) => (database.query<{ n: bigint | null }, []>(sql).get()?.n ?? 0n) as bigint;
  const faults: string[] = [];
  const sum = one("select sum(amount) as n from ledger_postings");
  if (sum !== 0n) faults.push(`all postings sum to ${sum}, not to zero`);
  const unbalanced = one(
    "select count(*) as n from (select entry_id from ledger_postings group by entry_id having sum(amount) <> 0)",
  );
  if (unbalanced !== 0n) faults.push(`${unbalanced} entries do not balance`);
  const charged = one("select sum(cost) as n from usage_log where organization_id is not null");
  const posted = one(
    `select -sum(amount) as n from ledger_postings join ledger_entries on ledger_entries.id = entry_id
     where kind = 'usage' and account_id like 'wallet:%'`,
  );
  if (charged !== posted) faults.push(`rows of usage cost ${charged}, the wallets were charged ${posted}`);
  const leases = one("select count(*) as n from leases");
  if (leases !== 0n) faults.push(`${leases} leases were left after the end`);
  return faults;
}

function countBy(rows: readonly Row[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
