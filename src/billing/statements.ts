import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { BillingAccess, BillingOrganization } from "./billing-access.ts";
import type { Purchase } from "./records.ts";
import { drawStatement, type Statement, type StatementLine } from "./statement.ts";
import type { BillingStores } from "./store.ts";

export interface StatementDeps {
  readonly stores: BillingStores;
  readonly access: BillingAccess;
  readonly clock: Clock;
  /** The month of a zone that a moment lies in. */
  readonly monthAt: (zone: string, atMs: number) => { readonly startMs: number; readonly endMs: number };
}

export interface Receipt {
  readonly purchase: Purchase;
  readonly organization: BillingOrganization;
  /** What the books have of it: what it brought, and what went back. */
  readonly lines: readonly StatementLine[];
  /** What of its credits has not gone back, which is what the lines add up to. */
  readonly kept: bigint;
}

const LOOKS_MAX = 5;
/** It lies in the month wherever one is. */
const MID_MONTH = 15;

const MONTH = /^(20[0-9]{2})-(0[1-9]|1[0-2])$/;

/** What the books say of a month, and of a purchase, for people and for their accountants. */
export class Statements {
  constructor(private readonly deps: StatementDeps) {}

  async statement(caller: SessionCaller, named: string | null, month: string): Promise<Statement> {
    const { stores, access, clock, monthAt } = this.deps;
    const [, year, number] = MONTH.exec(month) ?? [];
    if (year === undefined) throw new GatewayError("not_found", "A statement is of a month, such as 2026-11.");
    const { id, name, createdAt, timezone: present } = await access(caller, named, "admin");
    const zones = { createdAt, former: await stores.statements.formerZones(id) };
    const startOf = (month: number) => (zone: string) =>
      monthAt(zone, Date.UTC(Number(year), month - 1, MID_MONTH, 12)).startMs;
    const { atMs: endMs, timezone } = borderOf(zones, present, startOf(Number(number) + 1));
    const { atMs: startMs } = borderOf(zones, timezone, startOf(Number(number)));
    const now = clock.nowMs();
    if (startMs > now) throw new GatewayError("not_found", "That month has not begun yet.");
    const books = await stores.statements.read(id, startMs, endMs);
    const span = { month, timezone, startMs, endMs, isOver: endMs <= now };
    return drawStatement({ organizationId: id, organizationName: name, ...span }, books);
  }

  async receipt(caller: SessionCaller, purchaseId: string): Promise<Receipt> {
    const { purchases, statements } = this.deps.stores;
    const missing = (): GatewayError => new GatewayError("not_found", "There is no such purchase.");
    // What went back between two statements is seen at the next look; a receipt that does not agree with the books is worse than none.
    for (let look = 0; look < LOOKS_MAX; look++) {
      const purchase = await purchases.find(purchaseId);
      if (!purchase) throw missing();
      const organization = await this.deps.access(caller, purchase.organizationId, "admin", missing);
      if (purchase.paidAt === null) throw new GatewayError("conflict", "The purchase has not been paid.");
      const lines = await statements.readPurchase(purchase.organizationId, purchaseId);
      const kept = purchase.amount - purchase.refunded - purchase.disputed;
      if (lines.reduce((sum, { amount }) => sum + amount, 0n) === kept) return { purchase, organization, lines, kept };
    }
    throw new Error(`the receipt of ${purchaseId} does not agree with the books`);
  }
}

interface Zones {
  readonly createdAt: number;
  /** Those before the present one. */
  readonly former: readonly { readonly timezone: string; readonly endedAt: number }[];
}

/**
 * Where a month begins: by the zone that held when it did, because what was told of the month before stays true. `otherwise`
 * is for what lies before the organization was made, and for the present.
 */
function borderOf(
  { createdAt, former }: Zones,
  otherwise: string,
  startIn: (zone: string) => number,
): { readonly atMs: number; readonly timezone: string } {
  for (const { timezone, endedAt } of former) {
    const atMs = startIn(timezone);
    if (createdAt <= atMs && atMs < endedAt) return { atMs, timezone };
  }
  return { atMs: startIn(otherwise), timezone: otherwise };
}
