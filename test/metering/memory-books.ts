import { GatewayError } from "../../src/contract/errors.ts";
import type { UsageRecord } from "../../src/contract/usage.ts";
import type { Hold, HoldRequest, OpenCall } from "../../src/ledger/books.ts";
import type { LedgerSide } from "../../src/start/call-books.ts";

/** Books in memory: what was held, opened and ended, in order; `credit` says what each pot still has. */
export class MemoryBooks implements LedgerSide {
  readonly held: HoldRequest[] = [];
  readonly opened: OpenCall[] = [];
  readonly ended: { record: UsageRecord; creditSources: readonly string[] }[] = [];
  readonly progressed: { id: string; cost: bigint }[] = [];
  /** What holds were ended with: the cost, or null for a release. */
  readonly closed: (bigint | null)[] = [];
  credit = 10n ** 12n;
  /** An `end` does not finish before this does. */
  gate: Promise<void> = Promise.resolve();
  full = false;
  /** How many calls have begun to end. */
  ending = 0;

  readonly desk = {
    hold: (request: HoldRequest): Hold => {
      this.held.push(request);
      if (request.former) return Object.assign(request.former, { amount: request.amount });
      for (const pot of request.creditSources) {
        if (pot.limit === null && this.credit <= 0n) throw new GatewayError("insufficient_quota", "No credit is left.");
        if (pot.limit !== null && pot.limit < request.amount) throw new GatewayError("budget_exceeded", pot.id);
      }
      return this.newHold(request.amount);
    },
  };

  readonly journal = {
    open: async (call: OpenCall): Promise<void> => {
      if (this.full) throw new GatewayError("unavailable", "The disk is full.");
      // As it is now: the record is filled in later.
      this.opened.push({ ...call, record: { ...call.record } });
    },
    progress: (id: string, _units: unknown, cost: bigint): void => {
      this.progressed.push({ id, cost });
    },
    end: async (record: UsageRecord, creditSources: readonly string[]): Promise<void> => {
      this.ending++;
      await this.gate;
      this.ended.push({ record, creditSources });
    },
  };

  /** The record of the last call, once every call has ended and every hold with it. */
  async last(): Promise<UsageRecord> {
    // A call that is tried again is opened again, and ends once.
    const begun = () => new Set(this.opened.map(({ record }) => record.id)).size;
    while (this.ended.length < begun() || this.openHolds > 0) await Bun.sleep(1);
    const end = this.ended.at(-1);
    if (!end) throw new Error("no call has ended");
    return end.record;
  }

  /** How many are set aside now. */
  openHolds = 0;

  private newHold(amount: bigint): Hold {
    this.openHolds++;
    const close = (cost: bigint | null): void => {
      if (!hold.isOpen) return;
      hold.isOpen = false;
      this.openHolds--;
      this.closed.push(cost);
      if (cost !== null) this.credit -= cost;
    };
    const hold = { amount, isOpen: true, settle: (cost: bigint) => close(cost), release: () => close(null) };
    return hold;
  }
}
