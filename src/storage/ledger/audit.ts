import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Finding, LedgerAudit } from "../../ledger/audit.ts";
import type { Tables } from "../tables.ts";

/** A lease is prolonged every few seconds: one that ended so long ago belongs to nobody and was not swept. */
const LEASE_LEAKED_MS = 5 * 60_000;
const SHOWN_MAX = 20;

type Query = (now: number) => RawBuilder<{ what: string; is: unknown; should: unknown }>;

interface Rule {
  readonly name: string;
  readonly meaning: string;
  /** Gives only what breaks the rule. */
  readonly find: Query;
}

const RULES: readonly Rule[] = [
  {
    name: "entries",
    meaning: "the postings of every entry add up to nothing",
    find: () => sql`
      select e.id as what, coalesce(sum(p.amount), 1) as "is", 0 as should
      from ledger_entries e left join ledger_postings p on p.entry_id = e.id
      group by e.id having coalesce(sum(p.amount), 1) <> 0`,
  },
  {
    name: "total",
    meaning: "all postings add up to nothing",
    find: () =>
      sql`select 'all' as what, sum(amount) as "is", 0 as should from ledger_postings having sum(amount) <> 0`,
  },
  {
    name: "balances",
    meaning: "the balance of every account is the sum of its postings",
    find: () => sql`
      select a.id as what, a.balance as "is", coalesce(sum(p.amount), 0) as should
      from ledger_accounts a left join ledger_postings p on p.account_id = a.id
      group by a.id, a.balance having a.balance <> coalesce(sum(p.amount), 0)`,
  },
  {
    name: "usage",
    meaning: "what an organization was charged is what its calls cost",
    find: () => sql`
      select organization_id as what, sum(charged) as "is", sum(cost) as should from (
        select organization_id, cost, 0 as charged from usage_quarters where organization_id <> ''
        union all
        select e.organization_id, 0 as cost, -p.amount as charged
        from ledger_entries e join ledger_postings p on p.entry_id = e.id and p.account_id = 'wallet:' || e.organization_id
        where e.kind = 'usage'
      ) as sums group by organization_id having sum(charged) <> sum(cost)`,
  },
  {
    name: "calls",
    meaning: "every call that cost an organization something points to the entry that charged it",
    find: () => sql`
      select u.id as what, u.cost as "is", 0 as should
      from usage_log u left join ledger_entries e on e.id = u.entry_id
      where u.cost > 0 and u.organization_id is not null and e.id is null`,
  },
  {
    name: "charges",
    meaning: "no entry charged less than the calls that point to it",
    find: () => sql`
      select e.id as what, -p.amount as "is", sum(u.cost) as should
      from usage_log u join ledger_entries e on e.id = u.entry_id
        join ledger_postings p on p.entry_id = e.id and p.account_id = 'wallet:' || e.organization_id
      group by e.id, p.amount having sum(u.cost) > -p.amount`,
  },
  {
    name: "blocked",
    meaning: "teams are blocked for the balance while it is negative, and only then",
    find: () => sql`
      select t.id as what, coalesce(a.balance, 0) as "is", 0 as should
      from teams t join organizations o on o.id = t.organization_id
        left join ledger_accounts a on a.id = 'wallet:' || o.id
      where (t.blocked_reason = 'balance' and (coalesce(a.balance, 0) >= 0 or o.billing <> 'prepaid'))
        or (t.status = 'active' and coalesce(a.balance, 0) < 0 and o.billing = 'prepaid')`,
  },
  {
    name: "leases",
    meaning: "no lease outlives its process",
    find: (now) => sql`
      select pot || ' of ' || owner as what, amount as "is", 0 as should
      from leases where expires_at < ${now - LEASE_LEAKED_MS}`,
  },
];

export const ledgerAudit = (db: Kysely<Tables>): LedgerAudit => ({
  // One snapshot: calls that are settled meanwhile must not look like differences.
  verify: (now) =>
    db
      .transaction()
      .setIsolationLevel("repeatable read")
      .execute(async (tx) => {
        const findings: Finding[] = [];
        for (const { name, meaning, find } of RULES) {
          const { rows } = await find(now).execute(tx);
          const shown = rows.slice(0, SHOWN_MAX).map(({ what, is, should }) => `${what}: ${is}, not ${should}`);
          if (rows.length > SHOWN_MAX) shown.push(`and ${rows.length - SHOWN_MAX} more`);
          findings.push({ name, meaning, differences: shown });
        }
        return findings;
      }),
});
