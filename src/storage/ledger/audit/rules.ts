import { type RawBuilder, sql } from "kysely";
import { DAY_MS, QUARTER_MS } from "../../../usage/rollup.ts";
import { columnList } from "../../json-rows.ts";
import { OWNER_KEYS } from "../../usage/fold-rollups.ts";
import { THINNED } from "../../usage/remove-before.ts";

/** A lease is prolonged every few seconds: one that ended so long ago belongs to nobody and was not swept. */
const LEASE_LEAKED_MS = 5 * 60_000;

export interface Broken {
  readonly what: string;
  readonly is: unknown;
  readonly should: unknown;
}

export interface Rule {
  readonly name: string;
  readonly meaning: string;
  /** Gives only what breaks the rule. */
  readonly find: (now: number, sqlite: boolean) => RawBuilder<Broken>;
  /** What cannot be looked at: how many, and of what. */
  readonly left?: {
    readonly of: string;
    readonly count: (sqlite: boolean) => RawBuilder<{ count: bigint }>;
  };
}

/** How many calls an entry charged, as it was noted then. */
const callsOf = (sqlite: boolean): RawBuilder<unknown> =>
  sqlite ? sql`json_extract(e.details, '$.calls')` : sql`cast(e.details::json->>'calls' as bigint)`;

/** Entries of calls with what is left of these in the log. */
const chargedCalls = (sqlite: boolean): RawBuilder<unknown> => sql`
  select e.id, -p.amount as charged, ${callsOf(sqlite)} as calls, count(u.id) as logged, coalesce(sum(u.cost), 0) as cost
  from ledger_entries e
    join ledger_postings p on p.entry_id = e.id and p.account_id = 'wallet:' || e.organization_id
    left join usage_log u on u.entry_id = e.id
  where e.kind = 'usage' group by e.id, p.amount, e.details`;

/** From when on the log of an organization is whole; the log of all may have been thinned further. */
const wholeFrom = (organization: RawBuilder<unknown>): RawBuilder<unknown> => sql`coalesce((
  select max(cast(value as bigint)) from settings where name in (${THINNED}, ${THINNED} || ${organization})), 0)`;

const SUMMED = ["requests", "cost", "provider_cost", "prompt_tokens", "completion_tokens"] as const;
const joined = (build: (name: string) => string, between = ", "): RawBuilder<unknown> =>
  sql.raw(SUMMED.map(build).join(between));

const OWNERS = sql.raw(columnList(OWNER_KEYS));

/** What spent a budget, by the word before the colon of its subject, as a condition on the sums. */
const subjects = (
  slash: RawBuilder<unknown>,
): readonly (readonly [scope: string, condition: RawBuilder<unknown>])[] => [
  ["organization", sql`q.organization_id = substr(b.subject, 14)`],
  ["team", sql`q.team_id = substr(b.subject, 6) and q.organization_id <> ''`],
  ["key", sql`q.key_id = substr(b.subject, 5) and q.organization_id <> ''`],
  ["user", sql`q.user_id = cast(substr(b.subject, 6) as integer) and q.organization_id <> ''`],
  [
    "member",
    sql`q.team_id = substr(b.subject, 8, ${slash} - 8) and q.user_id = cast(substr(b.subject, ${slash} + 1) as integer)
      and q.organization_id <> ''`,
  ],
];

/** Where the team ends and the person begins: operators bring ids of any length. */
const slashOf = (sqlite: boolean): RawBuilder<unknown> =>
  sqlite ? sql`instr(b.subject, '/')` : sql`strpos(b.subject, '/')`;

const endUserSubject = (slash: RawBuilder<unknown>): readonly [scope: string, condition: RawBuilder<unknown>] => [
  "end_user",
  sql`q.organization_id = substr(b.subject, 10, ${slash} - 10) and q.end_user = substr(b.subject, ${slash} + 1)`,
];

const isOfQuarters = sql`(b.starts_at % ${sql.lit(QUARTER_MS)} = 0 and b.ends_at % ${sql.lit(QUARTER_MS)} = 0)`;
const inWindow = sql`q.at >= b.starts_at and q.at < b.ends_at and (b.model is null or q.model = b.model)`;

/** Windows that the sums cannot check are compared with the log, which has less where it was thinned. */
const spentByLog = (scope: string, condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select what, "is", should from (
    select b.pot as what, b.spent as "is", b.starts_at, ${wholeFrom(sql`coalesce(b.organization_id, '')`)} as whole_from,
      (select coalesce(sum(q.cost), 0) from usage_log q where ${condition} and ${inWindow}) as should
    from budget_spend b where b.ends_at is not null and b.subject like ${`${scope}:%`}
      ${scope === "end_user" ? sql`` : sql`and not ${isOfQuarters}`}
  ) as by_log where starts_at >= whole_from or "is" < should`;

const spentBySums = (scope: string, condition: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select b.pot as what, b.spent as "is",
    (select coalesce(sum(q.cost), 0) from usage_quarters q where ${condition} and ${inWindow}) as should
  from budget_spend b where b.ends_at is not null and b.subject like ${`${scope}:%`} and ${isOfQuarters}`;

/** Of a purchase: what came and went by the ledger, and what its own record says. */
const movedByPurchase = sql`
  select id, sum(topped) as topped, sum(back) as back, sum(paid) as paid, sum(taken) as taken, sum(bought) as bought from (
    select substr(e.key, 7) as id, p.amount as topped, 0 as back, 0 as paid, 0 as taken, 0 as bought
    from ledger_entries e join ledger_postings p on p.entry_id = e.id and p.account_id = 'wallet:' || e.organization_id
    where e.kind = 'topup'
    union all
    select substr(e.key, 8, 36), 0, -p.amount, 0, 0, 0
    from ledger_entries e join ledger_postings p on p.entry_id = e.id and p.account_id = 'wallet:' || e.organization_id
    where e.kind = 'refund'
    union all
    select d.purchase_id, 0, -p.amount, 0, 0, 0
    from disputes d join ledger_entries e on e.organization_id = d.organization_id and e.kind = 'dispute'
        and substr(e.key, 1, length(d.provider || d.id) + 10) = 'dispute:' || d.provider || ':' || d.id || ':'
      join ledger_postings p on p.entry_id = e.id and p.account_id = 'wallet:' || e.organization_id
    union all
    select id, 0, 0, case when status in ('paid', 'refunded') then amount else 0 end, refunded + disputed, amount
    from purchases
  ) as moves group by id`;

export const RULES: readonly Rule[] = [
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
    meaning: "an entry charged what the calls that point to it cost",
    find: (_, sqlite) => sql`
      select id as what, charged as "is", cost as should from (${chargedCalls(sqlite)}) as c
      where cost > charged or (logged = calls and cost <> charged) or logged > calls`,
    left: {
      of: "entries whose calls are no longer all in the log",
      count: (sqlite) => sql`select count(*) as count from (${chargedCalls(sqlite)}) as c where logged < calls`,
    },
  },
  {
    name: "sums",
    meaning: "the sums by quarter of an hour are those of the calls in the log",
    find: () => sql`
      select organization_id || ' at ' || at as what,
        ${joined((name) => `sum(log_${name})`, " || ' ' || ")} as "is", ${joined((name) => `sum(${name})`, " || ' ' || ")} as should
      from (
        select organization_id, at, ${joined((name) => name)}, ${joined((name) => `0 as log_${name}`)} from usage_quarters
        union all
        select coalesce(organization_id, ''), at - at % ${sql.lit(QUARTER_MS)}, ${joined((name) => `0 as ${name}`)},
          ${joined((name) => (name === "requests" ? "1 as log_requests" : `${name} as log_${name}`))} from usage_log
      ) as both_sides group by organization_id, at
      having ${joined((name) => `sum(log_${name}) > sum(${name})`, " or ")}
        or (at >= ${wholeFrom(sql`organization_id`)}
          and (${joined((name) => `sum(log_${name}) <> sum(${name})`, " or ")}))`,
    left: {
      of: "quarters of an hour from before the log begins",
      count: () => sql`
        select count(*) as count from (select distinct organization_id, at from usage_quarters) as q
        where q.at < ${wholeFrom(sql`q.organization_id`)}`,
    },
  },
  {
    name: "days",
    meaning: "the sums by day are those of its quarters of an hour",
    find: () => sql`
      select organization_id || ' at ' || day as what,
        ${joined((name) => `sum(day_${name})`, " || ' ' || ")} as "is", ${joined((name) => `sum(${name})`, " || ' ' || ")} as should
      from (
        select organization_id, at - at % ${sql.lit(DAY_MS)} as day, ${joined((name) => name)}, ${joined((name) => `0 as day_${name}`)}
        from usage_quarters
        union all
        select organization_id, at, ${joined((name) => `0 as ${name}`)}, ${joined((name) => `${name} as day_${name}`)} from usage_days
      ) as both_sides group by organization_id, day
      having ${joined((name) => `sum(day_${name}) <> sum(${name})`, " or ")}`,
  },
  {
    name: "totals",
    meaning: "what everybody has spent ever is the sum of their days",
    find: () => sql`
      select organization_id as what, sum(total) as "is", sum(cost) as should from (
        select organization_id, sum(total_cost) as total, sum(cost) as cost,
          case when sum(total_cost) <> sum(cost) or sum(total_requests) <> sum(requests) then 1 else 0 end as wrong
        from (
          select ${OWNERS}, cost, requests, 0 as total_cost, 0 as total_requests from usage_days
          union all
          select ${OWNERS}, 0, 0, cost, requests from usage_totals
        ) as both_sides group by ${OWNERS}
      ) as owners group by organization_id having max(wrong) > 0`,
  },
  {
    name: "budgets",
    meaning: "what a budget has spent in a window is what the calls in it cost",
    find: (_, sqlite) => {
      const slash = slashOf(sqlite);
      const each = subjects(slash);
      const byLog = [...each, endUserSubject(slash)].map(([scope, condition]) => spentByLog(scope, condition));
      const all = [...each.map(([scope, condition]) => spentBySums(scope, condition)), ...byLog];
      return sql`select * from (${sql.join(all, sql` union all `)}) as spending where "is" <> should`;
    },
    left: {
      of: "windows of an earlier version, which did not note when they end",
      count: () => sql`select count(*) as count from budget_spend where ends_at is null and spent <> 0`,
    },
  },
  {
    name: "purchases",
    meaning: "a purchase was credited when it was paid, once and in full",
    find: () => sql`
      select id as what, topped as "is", paid as should from (${movedByPurchase}) as m where topped <> paid`,
  },
  {
    name: "refunds",
    meaning: "what went back of a purchase is on record and never more than was bought",
    find: () => sql`
      select id as what, back as "is", case when taken < bought then taken else bought end as should
      from (${movedByPurchase}) as m where back <> taken or taken > bought`,
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
    // Of a lease that is used up nothing is left that others could lack: its process does not prolong it, it is swept.
    meaning: "no lease outlives its process",
    find: (now) => sql`
      select pot || ' of ' || owner as what, amount as "is", 0 as should
      from leases where expires_at < ${now - LEASE_LEAKED_MS} and amount <> 0`,
  },
];
