import type { Kysely } from "kysely";
import { quarterOf } from "../../usage/rollup.ts";
import type { KeptSpend } from "../../usage/store.ts";
import { decodeStrings } from "../accounts/json-columns.ts";
import { columnList, type JsonColumns, jsonRows } from "../json-rows.ts";
import { SqlText, statement } from "../statement.ts";
import type { Tables } from "../tables.ts";

type Row = Tables["removedSpend"];
type Removed = Pick<Tables["usageLog"], "at" | "deploymentId" | "tags" | "providerCost">;

/** What calls that leave the log have spent of budgets that go on; that of windows which are over is let go of. */
export async function keepSpend(
  tx: Kysely<Tables>,
  removed: readonly Removed[],
  { startMs, deployments, tags }: KeptSpend,
): Promise<void> {
  await tx.deleteFrom("removedSpend").where("at", "<", startMs).execute();
  const sums = new Map<string, Row>();
  const add = (spender: Row["spender"], name: string, { at, providerCost }: Removed) => {
    const row = { spender, name, at: quarterOf(at), cost: providerCost };
    const key = JSON.stringify([spender, name, row.at]);
    const known = sums.get(key);
    if (known) known.cost += providerCost;
    else sums.set(key, row);
  };
  for (const call of removed) {
    if (call.at < startMs || call.providerCost === 0n) continue;
    if (call.deploymentId !== null && deployments.has(call.deploymentId)) add("deployment", call.deploymentId, call);
    if (tags.size > 0) for (const tag of decodeStrings(call.tags)) if (tags.has(tag)) add("tag", tag, call);
  }
  if (sums.size === 0) return;
  // In one order, or two who do this at the same time may wait for each other.
  const rows = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await statement<never>`
    insert into removed_spend (${NAMES}) select ${NAMES} from ${jsonRows(COLUMNS, rows)} where true
    on conflict (spender, name, at) do update set cost = removed_spend.cost + excluded.cost`.execute(tx);
}

const COLUMNS = { spender: "text", name: "text", at: "bigint", cost: "bigint" } as const satisfies JsonColumns;
const NAMES = new SqlText(columnList(COLUMNS));
