import { type Kysely, type Selectable, type SqlBool, sql } from "kysely";
import { amountOf, countsByPart } from "../../../catalog/cost.ts";
import { type PriceSheet, readPriceSheet } from "../../../catalog/price-sheet.ts";
import { readParts } from "../../../contract/usage-row.ts";
import type { Finding } from "../../../ledger/audit.ts";
import { UNITS } from "../../../usage/rollup.ts";
import type { Tables } from "../../tables.ts";

const SHEETS_MAX = 1_000;
const LISTS_AT_ONCE = 250;
/** Of calls with a wrong cost, so many are known by their ids. */
const WRONG_MAX = 1_000;

/** The units of a call and what it was charged for them. */
const READ = ["id", "at", "status", "cacheHit", ...UNITS, "cost", "costParts", "priceVersion"] as const;

type Charged = Pick<Selectable<Tables["usageLog"]>, (typeof READ)[number]>;

/** Computes again what calls cost, page by page, from their units and the price list that they name. */
export class PriceCheck {
  private readonly sheets = new Map<string, PriceSheet | null>();
  /** Calls that did not cost what they should have: the first of them. */
  readonly wrong = new Map<string, string>();
  private wrongCount = 0;
  private unknown = 0;

  /** Where calls are served meanwhile, a page is as much as the event loop may be held up by: some µs for each of its calls. */
  constructor(
    private readonly db: Kysely<Tables>,
    private readonly page: number,
  ) {}

  /** Those after an id, in the order of ids: how many there were, and the last of them. */
  async after(id: string, limit: number): Promise<{ readonly looked: number; readonly last: string }> {
    let [looked, last] = [0, id];
    while (looked < limit) {
      const size = Math.min(this.page, limit - looked);
      const page = await this.calls().where("id", ">", last).orderBy("id").limit(size).execute();
      await this.look(page);
      looked += page.length;
      last = page.at(-1)?.id ?? last;
      if (page.length < size) break;
    }
    return { looked, last };
  }

  /** Those that came in since. */
  async since(startMs: number): Promise<void> {
    let from = { at: startMs, id: "" };
    for (;;) {
      const follows = sql<SqlBool>`(${sql.ref("at")}, ${sql.ref("id")}) > (${from.at}, ${from.id})`;
      const page = await this.calls().where(follows).orderBy("at").orderBy("id").limit(this.page).execute();
      await this.look(page);
      const last = page.at(-1);
      if (!last || page.length < this.page) return;
      from = last;
    }
  }

  async these(ids: readonly string[]): Promise<void> {
    for (let at = 0; at < ids.length; at += this.page) {
      await this.look(
        await this.calls()
          .where("id", "in", ids.slice(at, at + this.page))
          .execute(),
      );
    }
  }

  async finding(shownMax: number, left: string | null = null): Promise<Finding> {
    const differences = [...this.wrong.values()].slice(0, shownMax);
    if (this.wrongCount > shownMax) differences.push(`and ${this.wrongCount - shownMax} more`);
    const changed = (await changedLists(this.db)).map((id) => `the price list ${id}: its text is another one's`);
    const unknown =
      this.unknown === 0
        ? null
        : `${this.unknown} calls that ended with their process or whose price list is not stored`;
    return {
      name: "prices",
      meaning: "every call cost what its units come to by the price list that it names",
      differences: [...changed, ...differences],
      unchecked: [unknown, left].filter((text) => text !== null).join("; ") || null,
    };
  }

  private calls() {
    return this.db.selectFrom("usageLog").select(READ);
  }

  private async look(calls: readonly Charged[]): Promise<void> {
    for (const call of calls) {
      const should = await this.costAgain(call);
      if (should === null) this.unknown += call.cost > 0n ? 1 : 0;
      else if (should !== call.cost && !this.wrong.has(call.id)) {
        this.wrongCount++;
        if (this.wrong.size < WRONG_MAX) this.wrong.set(call.id, `${call.id}: ${call.cost}, not ${should}`);
      }
    }
  }

  /** Null where it cannot be known. What a process left behind when it died is charged as far as it had come, not by its units. */
  private async costAgain(call: Charged): Promise<bigint | null> {
    if (call.priceVersion === null || call.status === "aborted") return null;
    // What a cache answers may be free.
    if (call.cacheHit && call.cost === 0n) return 0n;
    let sheet = this.sheets.get(call.priceVersion);
    if (sheet === undefined) {
      sheet = await loadSheet(this.db, call.priceVersion);
      if (this.sheets.size >= SHEETS_MAX) this.sheets.clear();
      this.sheets.set(call.priceVersion, sheet);
    }
    return sheet && amountOf(sheet, { ...call, ...countsByPart(readParts(call.costParts)) });
  }
}

async function loadSheet(db: Kysely<Tables>, id: string): Promise<PriceSheet | null> {
  const row = await db.selectFrom("priceVersions").select("prices").where("id", "=", id).executeTakeFirst();
  if (!row) return null;
  return readSheet(id, row.prices);
}

/** A list that was changed is not the list that calls name. */
function readSheet(id: string, text: string): PriceSheet | null {
  try {
    const sheet = readPriceSheet(text);
    return sheet?.version === id ? sheet : null;
  } catch {
    return null;
  }
}

async function changedLists(db: Kysely<Tables>): Promise<readonly string[]> {
  const changed: string[] = [];
  for (let after = ""; ; ) {
    const page = await db
      .selectFrom("priceVersions")
      .select(["id", "prices"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(LISTS_AT_ONCE)
      .execute();
    changed.push(...page.filter(({ id, prices }) => readSheet(id, prices) === null).map(({ id }) => id));
    const last = page.at(-1);
    if (!last) return changed;
    after = last.id;
  }
}
