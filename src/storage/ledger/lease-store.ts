import type { Kysely } from "kysely";
import { readBudgetPot } from "../../ledger/budget-credit.ts";
import { walletOf } from "../../ledger/entry.ts";
import { grantOf, type LeaseRequest, type LeaseState, type LeaseStore, type LeaseTimes } from "../../ledger/leases.ts";
import { jsonRows } from "../json-rows.ts";
import { statement } from "../statement.ts";
import type { Tables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";
import { lockBalances } from "./accounts.ts";
import { endOf, lockOf, openWindows, type SpendWindow } from "./budget-windows.ts";
import { retryDeadlocks } from "./deadlocks.ts";

export function leaseStore(db: Kysely<Tables>): LeaseStore {
  return {
    extend: (owner, wants, times) => retryDeadlocks(() => inTransaction(db, (tx) => extend(tx, owner, wants, times))),
    giveBack: (owner, amounts) => retryDeadlocks(() => inTransaction(db, (tx) => giveBack(tx, owner, amounts))),
    async wanted(owner) {
      const rows = await db
        .selectFrom("leases")
        .select("pot")
        .where("owner", "=", owner)
        .where("wantedAt", "is not", null)
        .execute();
      return rows.map(({ pot }) => pot);
    },
    async renew(owner, expiresAt) {
      const { numUpdatedRows } = await retryDeadlocks(() =>
        db
          .updateTable("leases")
          .set({ expiresAt })
          .where("owner", "=", owner)
          .where("amount", ">", 0n)
          .executeTakeFirst(),
      );
      return Number(numUpdatedRows);
    },
    async leasesOf(owner) {
      const rows = await db.selectFrom("leases").select(["pot", "amount"]).where("owner", "=", owner).execute();
      return new Map(rows.map(({ pot, amount }) => [pot, amount]));
    },
    async drop(owner) {
      await retryDeadlocks(() => db.deleteFrom("leases").where("owner", "=", owner).execute());
    },
    async sweep(endedBefore, endsAfter) {
      const { numDeletedRows } = await retryDeadlocks(() =>
        db
          .deleteFrom("leases")
          .where(({ or, eb }) => or([eb("expiresAt", "<", endedBefore), eb("expiresAt", ">", endsAfter)]))
          .executeTakeFirst(),
      );
      return Number(numDeletedRows);
    },
  };
}

async function extend(
  tx: Kysely<Tables>,
  owner: string,
  wants: readonly LeaseRequest[],
  { now, expiresAt }: LeaseTimes,
): Promise<readonly LeaseState[]> {
  const capacities = await lockCapacities(tx, wants, now);
  const { rows: leases } = await statement<{ pot: string; owner: string; amount: bigint }>`
    select l.pot, l.owner, l.amount from ${potRows(wants)} join leases l on l.pot = r.pot`.execute(tx);
  const byPots = Map.groupBy(leases, ({ pot }) => pot);
  const standings: LeaseState[] = [];
  const grants: LeaseGrant[] = [];
  for (const want of wants.toSorted(byPot)) {
    const pot = want.pot.id;
    const ofPot = byPots.get(pot) ?? [];
    const own = ofPot.find((lease) => lease.owner === owner)?.amount ?? 0n;
    const others = ofPot.reduce((sum, lease) => sum + (lease.owner === owner ? 0n : lease.amount), 0n);
    const room = (capacities.get(pot) ?? 0n) - own - others;
    const granted = grantOf(want, room, others);
    if (granted > 0n) grants.push({ pot, owner, amount: granted, expires_at: expiresAt });
    if (granted < want.least && others > 0n) await recallLeases(tx, pot, now, owner);
    standings.push({ pot, amount: own + granted, free: room - granted, others, isOpen: capacities.has(pot) });
  }
  if (grants.length > 0) await put(tx, grants);
  return standings;
}

/** None where it is not told when the window ends. */
function windowOf({ pot }: LeaseRequest): readonly SpendWindow[] {
  const read = readBudgetPot(pot.id);
  if (!read || pot.endMs === undefined) return [];
  const { subject, startMs, model } = read;
  const organizationId = subject.startsWith("user:") ? null : pot.organizationId;
  return [{ pot: pot.id, subject, model, organizationId, startsAt: startMs, endsAt: endOf(pot.endMs) }];
}

const byPot = (a: LeaseRequest, b: LeaseRequest): number => (a.pot.id < b.pot.id ? -1 : 1);

/** Balances of wallets, and what budgets have left. Wallets are locked before budgets, as settling does. */
async function lockCapacities(
  tx: Kysely<Tables>,
  wants: readonly LeaseRequest[],
  now: number,
): Promise<ReadonlyMap<string, bigint>> {
  // Also for a budget: a batch that is being settled has the wallet, and would not be in the sums that a new window begins with.
  const wallets = new Set(wants.map(({ pot }) => (pot.limit === null ? pot.id : walletOf(pot.organizationId))));
  const capacities = new Map(await lockBalances(tx, [...wallets]));
  const budgets = wants.filter(({ pot }) => pot.limit !== null).toSorted(byPot);
  if (budgets.length === 0) return capacities;
  await openWindows(tx, budgets.flatMap(windowOf), now);
  const rows = budgets.map(({ pot }) => ({ pot: pot.id, organization_id: pot.organizationId }));
  await statement`
    insert into budget_spend (pot, organization_id, spent, updated_at)
    select pot, organization_id, 0, ${now} from ${jsonRows(BUDGET_COLUMNS, rows)} where true order by pot
    on conflict (pot) do nothing`.execute(tx);
  const { rows: found } = await statement<{ pot: string; spent: bigint }>`
    select b.pot, b.spent from ${potRows(budgets)} join budget_spend b on b.pot = r.pot order by b.pot
    ${lockOf(tx)}`.execute(tx);
  const spent = new Map(found.map((row) => [row.pot, row.spent]));
  for (const { pot } of budgets) capacities.set(pot.id, (pot.limit ?? 0n) - (spent.get(pot.id) ?? 0n));
  return capacities;
}

const BUDGET_COLUMNS = { pot: "text", organization_id: "text" } as const;
const POT_COLUMNS = { pot: "text" } as const;
const potRows = (wants: readonly LeaseRequest[]) =>
  jsonRows(
    POT_COLUMNS,
    wants.map(({ pot }) => ({ pot: pot.id })),
  );

type LeaseGrant = Readonly<Record<keyof typeof LEASE_COLUMNS, string | number | bigint>>;

const LEASE_COLUMNS = { pot: "text", owner: "text", amount: "bigint", expires_at: "bigint" } as const;

async function put(tx: Kysely<Tables>, grants: readonly LeaseGrant[]): Promise<void> {
  await statement`
    insert into leases (pot, owner, amount, wanted_at, expires_at)
    select pot, owner, amount, null, expires_at from ${jsonRows(LEASE_COLUMNS, grants)} where true order by pot
    on conflict (pot, owner) do update
      set amount = leases.amount + excluded.amount, expires_at = excluded.expires_at`.execute(tx);
}

/** Whoever has leased of the pot gives back what is idle of it, but for one. */
export async function recallLeases(tx: Kysely<Tables>, pot: string, now: number, except = ""): Promise<void> {
  await tx
    .updateTable("leases")
    .set({ wantedAt: now })
    .where("pot", "=", pot)
    .where("owner", "!=", except)
    .where("wantedAt", "is", null)
    .where("amount", ">", 0n)
    .execute();
}

async function giveBack(
  tx: Kysely<Tables>,
  owner: string,
  amounts: ReadonlyMap<string, bigint>,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = [...amounts].map(([pot, amount]) => ({ pot, owner, amount })).sort((a, b) => (a.pot < b.pot ? -1 : 1));
  const { rows: left } = await statement<{ pot: string; amount: bigint }>`
    update leases set amount = case when leases.amount > r.amount then leases.amount - r.amount else 0 end, wanted_at = null
    from ${jsonRows(RETURN_COLUMNS, rows)}
    where leases.pot = r.pot and leases.owner = r.owner
    returning leases.pot, leases.amount`.execute(tx);
  const empty = left.filter(({ amount }) => amount === 0n).map(({ pot }) => ({ pot, owner }));
  if (empty.length > 0) {
    await statement`
      delete from leases where (pot, owner) in (select pot, owner from ${jsonRows(NAME_COLUMNS, empty)})`.execute(tx);
  }
  return new Map(left.map(({ pot, amount }) => [pot, amount]));
}

const RETURN_COLUMNS = { pot: "text", owner: "text", amount: "bigint" } as const;
const NAME_COLUMNS = { pot: "text", owner: "text" } as const;
