import { type Kysely, sql } from "kysely";
import type { Finding, LedgerAudit } from "../../../ledger/audit.ts";
import type { Backend } from "../../backend.ts";
import { isSqlite } from "../../json-rows.ts";
import type { Tables } from "../../tables.ts";
import { PriceRounds } from "./price-rounds.ts";
import { PriceCheck } from "./prices.ts";
import { mend } from "./repair.ts";
import { type Broken, RULES, type Rule } from "./rules.ts";

const SHOWN_MAX = 20;
/** Of one rule: whoever has more than this to mend does it in steps. */
const FOUND_MAX = 1_000;

/** Of the calls that are looked at in turn, at least so many at a time. */
const TURN_LEAST = 10_000;

export function ledgerAudit(backend: Pick<Backend, "db" | "snapshot">, turnLeast = TURN_LEAST): LedgerAudit {
  const rounds = new PriceRounds(turnLeast);
  // One moment for all rules: calls that are settled meanwhile must not look like differences.
  const findingsOf = (now: number, prices: (db: Kysely<Tables>) => Promise<Finding>) =>
    backend.snapshot(async (db) => {
      const findings: Finding[] = [];
      for (const rule of RULES) findings.push(await check(db, rule, now));
      findings.push(await prices(db));
      return findings;
    });
  return {
    verify: (now) => findingsOf(now, checkAllPrices),
    look: (now) => findingsOf(now, (db) => rounds.look(db, now, SHOWN_MAX)),
    async mend(now) {
      const broken = await backend.snapshot(async (db) => {
        const found = new Map<string, readonly Broken[]>();
        for (const rule of RULES) found.set(rule.name, await breaches(db, rule, now));
        return found;
      });
      return mend(backend.db, (name) => broken.get(name) ?? [], now);
    },
  };
}

/** For a process that serves nobody meanwhile. */
const PAGE = 1_000;

async function checkAllPrices(db: Kysely<Tables>): Promise<Finding> {
  const prices = new PriceCheck(db, PAGE);
  await prices.after("", Number.POSITIVE_INFINITY);
  return prices.finding(SHOWN_MAX);
}

async function check(db: Kysely<Tables>, rule: Rule, now: number): Promise<Finding> {
  const rows = await breaches(db, rule, now);
  const shown = rows.slice(0, SHOWN_MAX).map(({ what, is, should }) => `${what}: ${is}, not ${should}`);
  const rest = rows.length - shown.length;
  if (rest > 0) shown.push(`and ${rows.length < FOUND_MAX ? rest : `at least ${rest}`} more`);
  const { name, meaning } = rule;
  return { name, meaning, differences: shown, unchecked: await uncheckedOf(db, rule) };
}

async function breaches(db: Kysely<Tables>, { find }: Rule, now: number): Promise<readonly Broken[]> {
  const { rows } = await sql<Broken>`select * from (${find(now, isSqlite(db))}) as found limit ${FOUND_MAX}`.execute(
    db,
  );
  return rows;
}

async function uncheckedOf(db: Kysely<Tables>, { left }: Rule): Promise<string | null> {
  if (!left) return null;
  const { rows } = await left.count(isSqlite(db)).execute(db);
  const count = rows[0]?.count ?? 0n;
  return count === 0n ? null : `${count} ${left.of}`;
}
