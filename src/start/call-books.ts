import type { PriceSheet } from "../catalog/price-sheet.ts";
import type { CallBooks } from "../gateway/deps.ts";
import { Pots } from "../gateway/metering/pots.ts";
import type { CreditDesk, UsageJournal } from "../ledger/books.ts";
import type { UsageStore } from "../usage/store.ts";

/** What the books of an installation offer to calls. */
export interface LedgerSide {
  readonly desk: CreditDesk;
  readonly journal: UsageJournal;
}

/** What calls leave behind besides their record. */
export type CallArchive = Pick<UsageStore, "savePrices" | "saveContents">;

const SHEETS_MAX = 10_000;

/** The books as the gateway sees them. */
export function callBooks({ desk, journal }: LedgerSide, archive: CallArchive, nowMs: () => number): CallBooks {
  const kept = new Set<string>();
  return {
    desk,
    journal,
    pots: new Pots(),
    keepSheet({ version, text }: PriceSheet) {
      if (kept.has(version)) return;
      if (kept.size >= SHEETS_MAX) kept.clear();
      kept.add(version);
      archive
        .savePrices({ id: version, prices: text, firstSeenAt: nowMs() })
        // The next call that is charged by it tries again.
        .catch(() => kept.delete(version));
    },
    keepTexts(id, request, response) {
      archive.saveContents({ id, request, response }).catch(() => undefined);
    },
  };
}
