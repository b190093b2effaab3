import type { Kysely } from "kysely";
import type { Finding } from "../../../ledger/audit.ts";
import type { Tables } from "../../tables.ts";
import { PriceCheck } from "./prices.ts";

const HOUR_MS = 60 * 60 * 1000;
/** So many looks go once through all calls: with one every hour, a day. */
const LOOKS_OF_A_ROUND = 24;
const PAGE = 250;

/**
 * Looks at calls that are new, and at a part of all others in turn. A call is written once and never changed by the program: what
 * becomes wrong later, or came into the log long after it was made, is found when its turn comes. What was found wrong is looked
 * at each time until it is right. Kept in memory: a process that starts begins a round of its own.
 */
export class PriceRounds {
  private after = "";
  private lastMs: number | null = null;
  private wrong: readonly string[] = [];

  constructor(private readonly least: number) {}

  async look(db: Kysely<Tables>, now: number, shownMax: number): Promise<Finding> {
    const check = new PriceCheck(db, PAGE);
    // A call is noted under when it came in, and settled when it has ended.
    await check.since((this.lastMs ?? now - HOUR_MS) - HOUR_MS);
    const all = Number(
      (await db.selectFrom("usageLog").select(db.fn.countAll<bigint>().as("calls")).executeTakeFirstOrThrow()).calls,
    );
    const part = Math.max(this.least, Math.ceil(all / LOOKS_OF_A_ROUND));
    const { looked, last } = await check.after(this.after, part);
    await check.these(this.wrong);
    this.after = looked < part ? "" : last;
    this.lastMs = now;
    this.wrong = [...check.wrong.keys()];
    return check.finding(shownMax, looked < all ? `${all - looked} calls whose turn comes within a day` : null);
  }
}
