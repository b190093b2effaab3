import type { Kysely, Selectable } from "kysely";
import { costOf, tokensByPart } from "../../../catalog/cost.ts";
import { type PriceSheet, readPriceSheet } from "../../../catalog/price-sheet.ts";
import { readParts } from "../../../contract/usage-row.ts";
import type { Finding } from "../../../ledger/audit.ts";
import { UNITS } from "../../../usage/rollup.ts";
import type { Tables } from "../../tables.ts";

const PAGE = 1_000;
const SHEETS_MAX = 1_000;

/** The units of a call and what it was charged for them. */
const READ = ["id", "status", "cacheHit", ...UNITS, "cost", "costParts", "priceVersion"] as const;

type Charged = Pick<Selectable<Tables["usageLog"]>, (typeof READ)[number]>;

/** Computes again what calls cost, page by page, from their units and the price list that they name. */
export async function checkPrices(db: Kysely<Tables>, shownMax: number): Promise<Finding> {
  const differences: string[] = [];
  let [wrong, unknown, after] = [0, 0, ""];
  const sheets = new Map<string, PriceSheet | null>();
  for (const id of await changedLists(db)) differences.push(`the price list ${id}: its text is another one's`);
  for (;;) {
    const page = await db
      .selectFrom("usageLog")
      .select(READ)
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute();
    for (const call of page) {
      const should = await costAgain(db, call, sheets);
      if (should === null) unknown += call.cost > 0n ? 1 : 0;
      else if (should !== call.cost && ++wrong <= shownMax) differences.push(`${call.id}: ${call.cost}, not ${should}`);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) break;
    after = last.id;
  }
  if (wrong > shownMax) differences.push(`and ${wrong - shownMax} more`);
  return {
    name: "prices",
    meaning: "every call cost what its units come to by the price list that it names",
    differences,
    unchecked:
      unknown === 0 ? null : `${unknown} calls that ended with their process or whose price list is not stored`,
  };
}

/** Null where it cannot be known. What a process left behind when it died is charged as far as it had come, not by its units. */
async function costAgain(
  db: Kysely<Tables>,
  call: Charged,
  sheets: Map<string, PriceSheet | null>,
): Promise<bigint | null> {
  if (call.priceVersion === null || call.status === "aborted") return null;
  // What a cache answers may be free.
  if (call.cacheHit && call.cost === 0n) return 0n;
  const known = sheets.get(call.priceVersion);
  const sheet = known === undefined ? await loadSheet(db, call.priceVersion) : known;
  if (sheets.size >= SHEETS_MAX) sheets.clear();
  sheets.set(call.priceVersion, sheet);
  return sheet && costOf(sheet, { ...call, ...tokensByPart(readParts(call.costParts)) }).cost;
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
      .limit(PAGE)
      .execute();
    changed.push(...page.filter(({ id, prices }) => readSheet(id, prices) === null).map(({ id }) => id));
    const last = page.at(-1);
    if (!last) return changed;
    after = last.id;
  }
}
