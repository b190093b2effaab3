import { type Kysely, sql } from "kysely";
import type { StorageUsageStore } from "../../files/storage-limits.ts";
import { isSqlite } from "../json-rows.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

export function storageUsageStore(db: Kysely<Tables>): StorageUsageStore {
  return {
    async find(of) {
      const organization =
        "teamId" in of ? sql`(select organization_id from teams where id = ${of.teamId})` : sql`${of.organizationId}`;
      const ofTeams = (table: "storage_usage" | "storage_changes") => sql`
        (select coalesce(sum(u.bytes), 0) from ${sql.table(table)} u join teams t on t.id = u.team_id
          where t.organization_id = ${organization})`;
      const { rows } = await sql<{ used: number | bigint; quota: number | bigint | null }>`
        select cast(${ofTeams("storage_usage")} + ${ofTeams("storage_changes")} as bigint) as used,
          (select bytes from storage_quotas where organization_id = ${organization}) as quota`.execute(db);
      const [{ used, quota } = { used: 0, quota: null }] = rows;
      return { usedBytes: Math.max(0, Number(used)), quotaBytes: quota === null ? null : Number(quota) };
    },
    async sumUp() {
      // Most looks find nothing, and take no lock.
      const first = await db.selectFrom("storageChanges").select("id").limit(1).executeTakeFirst();
      if (first === undefined) return;
      await inTransaction(db, async (tx) => {
        await (isSqlite(tx) ? sumUpSqlite(tx) : sumUpPostgres(tx));
        await sql`delete from storage_usage where bytes = 0
          or not exists (select 1 from teams where teams.id = storage_usage.team_id)`.execute(tx);
      });
    },
  };
}

const ADDED = sql`on conflict (team_id) do update set bytes = storage_usage.bytes + excluded.bytes`;

/** The first statement writes, so no other writer adds a change before the second one. */
async function sumUpSqlite(tx: Kysely<Tables>): Promise<void> {
  await sql`insert into storage_usage (team_id, bytes)
    select team_id, sum(bytes) from storage_changes where true group by team_id ${ADDED}`.execute(tx);
  await sql`delete from storage_changes`.execute(tx);
}

/** Only what was deleted is added: rows of transactions that end later stay. */
async function sumUpPostgres(tx: Kysely<Tables>): Promise<void> {
  await sql`with gone as (delete from storage_changes returning team_id, bytes)
    insert into storage_usage (team_id, bytes)
    select team_id, sum(bytes) from gone group by team_id order by team_id ${ADDED}`.execute(tx);
}
