import { sql } from "kysely";
import { accountStores } from "../../src/storage/accounts/account-stores.ts";
import type { Backend } from "../../src/storage/backend.ts";
import { leaseStore } from "../../src/storage/ledger/lease-store.ts";
import { settleStore } from "../../src/storage/ledger/settle.ts";
import type { Shelf } from "./history.ts";

/** A real database under the same eyes as the plain maps. `prefix` marks what belongs to one history. */
export function databaseShelf({ db }: Backend, prefix: string): Shelf {
  const { credits } = accountStores(db);
  const one = async (query: ReturnType<typeof sql<{ value: bigint | null }>>): Promise<bigint> =>
    (await query.execute(db)).rows[0]?.value ?? 0n;
  return {
    ...leaseStore(db),
    ...settleStore(db),
    async credit(organizationId, amount) {
      const credit = {
        kind: "grant",
        against: "grants",
        at: Date.now(),
        actor: "system",
        reason: "x",
        details: {},
      } as const;
      await credits.post({ ...credit, organizationId, amount, key: crypto.randomUUID() });
    },
    balance: (account) => one(sql`select sum(amount) as value from ledger_postings where account_id = ${account}`),
    budget: (pot) => one(sql`select sum(spent) as value from budget_spend where pot = ${pot}`),
    async logged() {
      const rows = await db
        .selectFrom("usageLog")
        .select(["id", "cost"])
        .where("id", "like", `${prefix}-call-%`)
        .execute();
      return new Map(rows.map(({ id, cost }) => [id, cost]));
    },
    leasedOf: (pot) => one(sql`select sum(amount) as value from leases where pot = ${pot}`),
    leasedBy: (owner) => one(sql`select sum(amount) as value from leases where owner = ${owner}`),
    total: () => one(sql`select sum(balance) as value from ledger_accounts`),
  };
}
