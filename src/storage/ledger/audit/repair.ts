import { type Kysely, sql } from "kysely";
import type { Mended } from "../../../ledger/audit.ts";
import { isWallet, organizationOf, walletOf } from "../../../ledger/entry.ts";
import { dayOf, QUARTER_MS } from "../../../usage/rollup.ts";
import { isSqlite } from "../../json-rows.ts";
import type { Tables } from "../../tables.ts";
import { inTransaction } from "../../transaction.ts";
import { rebuildDay, rebuildQuarter, rebuildTotals } from "../../usage/rebuild-sums.ts";
import { lockBalances } from "../accounts.ts";
import { spentIn } from "../budget-windows.ts";
import { applyStanding } from "../team-blocks.ts";
import type { Broken } from "./rules.ts";

/** Calls of the present quarter are still being settled; so may be those of a process that is read again. */
const SETTLED_AFTER_MS = 4 * QUARTER_MS;

/** Each in a transaction of its own, under the lock that whoever changes it takes too, and looked at again there. */
export async function mend(
  db: Kysely<Tables>,
  broken: (name: string) => readonly Broken[],
  now: number,
): Promise<readonly Mended[]> {
  const done: Mended[] = [];
  const note = (name: string, what: string | null, changedTeams: readonly string[] = []): void => {
    if (what !== null) done.push({ name, what, changedTeams });
  };
  // Budgets are made of the sums.
  for (const { what } of broken("sums")) note("sums", await mendSums(db, what, now));
  await mendLargerSums(db, broken, note);
  for (const { what } of broken("balances")) {
    const { changed, changedTeams } = await mendBalance(db, what, now);
    note("balances", changed, changedTeams);
  }
  for (const { what } of broken("budgets")) note("budgets", await mendBudget(db, what));
  for (const { what } of broken("blocked")) {
    const changedTeams = await mendBlock(db, what, now);
    note("blocked", changedTeams.length > 0 ? what : null, changedTeams);
  }
  return done;
}

const mendBalance = (db: Kysely<Tables>, id: string, now: number) =>
  inTransaction(db, async (tx) => {
    const balance = (await lockBalances(tx, [id])).get(id) ?? 0n;
    const { sum } = await tx
      .selectFrom("ledgerPostings")
      .select(sql<bigint>`coalesce(sum(amount), 0)`.as("sum"))
      .where("accountId", "=", id)
      .executeTakeFirstOrThrow();
    if (sum === balance) return { changed: null, changedTeams: [] };
    await tx.updateTable("ledgerAccounts").set({ balance: sum, updatedAt: now }).where("id", "=", id).execute();
    const changedTeams = isWallet(id) ? await applyStanding(tx, organizationOf(id), sum, now) : [];
    return { changed: `${id}: ${balance} became ${sum}`, changedTeams };
  });

const mendBudget = (db: Kysely<Tables>, pot: string): Promise<string | null> =>
  inTransaction(db, async (tx) => {
    const found = tx
      .selectFrom("budgetSpend")
      .select(["subject", "model", "spent", "startsAt", "endsAt"])
      .where("pot", "=", pot);
    const row = await (isSqlite(tx) ? found : found.forUpdate()).executeTakeFirst();
    if (!row || row.subject === null || row.startsAt === null || row.endsAt === null) return null;
    const { subject, model, startsAt, endsAt } = row;
    const [spent = 0n] = await spentIn(tx, [{ subject, model, startsAt, endsAt }]);
    if (spent === row.spent) return null;
    await tx.updateTable("budgetSpend").set({ spent }).where("pot", "=", pot).execute();
    return `${pot}: ${row.spent} became ${spent}`;
  });

const mendBlock = (db: Kysely<Tables>, teamId: string, now: number): Promise<readonly string[]> =>
  inTransaction(db, async (tx) => {
    const team = await tx.selectFrom("teams").select("organizationId").where("id", "=", teamId).executeTakeFirst();
    if (!team) return [];
    const wallet = walletOf(team.organizationId);
    const balance = (await lockBalances(tx, [wallet])).get(wallet) ?? 0n;
    return applyStanding(tx, team.organizationId, balance, now);
  });

/** Only where the log is whole: where it has less than the sums because it was thinned, the sums are what is left. */
async function mendSums(db: Kysely<Tables>, what: string, now: number): Promise<string | null> {
  const { organizationId, at } = placeOf(what);
  if (at > now - SETTLED_AFTER_MS) return null;
  return (await rebuildQuarter(db, organizationId, at)) ? `${what} was summed up again` : null;
}

/** Days are made of the quarters, also of those that have just become others, and what was spent ever of the days. */
async function mendLargerSums(
  db: Kysely<Tables>,
  broken: (name: string) => readonly Broken[],
  note: (name: string, what: string) => void,
): Promise<void> {
  const [owners, doubtful] = [new Set<string>(), new Set<string>()];
  const days = new Set([...broken("sums"), ...broken("days")].map(({ what }) => dayNamed(what)));
  const differed = new Set(broken("days").map(({ what }) => what));
  for (const day of days) {
    const { organizationId, at } = placeOf(day);
    if (!(await rebuildDay(db, organizationId, at))) doubtful.add(organizationId);
    else if (differed.has(day)) note("days", `${day} was summed up again`);
    owners.add(organizationId);
  }
  for (const { what } of broken("totals")) {
    owners.add(what);
    if (!doubtful.has(what)) note("totals", `${what} was summed up again`);
  }
  for (const organizationId of owners) if (!doubtful.has(organizationId)) await rebuildTotals(db, organizationId);
}

function dayNamed(what: string): string {
  const { organizationId, at } = placeOf(what);
  return `${organizationId} at ${dayOf(at)}`;
}

/** Calls of nobody's organization have an empty one. */
function placeOf(what: string): { readonly organizationId: string; readonly at: number } {
  const end = what.lastIndexOf(" at ");
  return { organizationId: what.slice(0, end), at: Number(what.slice(end + 4)) };
}
