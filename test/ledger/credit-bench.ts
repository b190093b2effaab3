import type { CreditSource, Hold } from "../../src/ledger/books.ts";
import { LeasedCredit } from "../../src/ledger/leased-credit.ts";
import { endedCall } from "../../src/ledger/settle-store.ts";
import { SerialQueue } from "../../src/lib/serial-queue.ts";
import { MemoryBooks } from "./memory-books.ts";
import { newCall } from "./new-call.ts";
import { SteppedTime } from "./stepped-time.ts";

export const WALLET: CreditSource = { id: "wallet:org", organizationId: "org", limit: null };

/** So many processes over one set of books. */
export function bench(credit: bigint, processes = 1) {
  const books = new MemoryBooks();
  if (credit > 0n) books.credit("org", credit);
  const time = new SteppedTime();
  const desks = Array.from({ length: processes }, (_, index) => {
    const owner = `p${index}`;
    const desk = new LeasedCredit({ store: books, owner, clock: time, timers: time, turns: new SerialQueue() });
    const hold = (
      amount: bigint,
      creditSources: readonly CreditSource[] = [WALLET],
      signal = new AbortController().signal,
    ) => desk.hold({ callId: "call", creditSources, amount, signal });
    /** The call costs this, and it is in the database at once. */
    const charge = async (held: Hold, cost: bigint, creditSources: readonly CreditSource[] = [WALLET]) => {
      const ended = endedCall(
        newCall({ organizationId: "org", cost }),
        creditSources.map(({ id }) => id),
      );
      desk.spend(ended.creditSources, cost);
      held.settle(cost);
      const { leases } = await books.settle(owner, [ended]);
      desk.settled(new Map(ended.creditSources.map((pot) => [pot, cost])), leases);
    };
    return { desk, hold, charge, owner };
  });
  const [first] = desks;
  if (!first) throw new Error("at least one process");
  return { books, time, desks, ...first };
}
