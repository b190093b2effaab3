import type { PriceSheet } from "../catalog/price-sheet.ts";
import type { UsageRecord } from "../contract/usage.ts";
import type { CallBooks } from "../gateway/call/gateway.ts";
import { Pots } from "../gateway/metering/credit-sources.ts";
import type { CreditReservations, UsageJournal } from "../ledger/books.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { systemTimers, type Timers } from "../lib/timers.ts";
import { KeySpends } from "../usage/key-spends.ts";
import type { CallContents, UsageStore } from "../usage/store.ts";

/** What the books of an installation offer to calls. */
export interface LedgerSide {
  readonly desk: CreditReservations;
  readonly journal: UsageJournal;
}

/** What calls leave behind besides their record. */
export type CallArchive = Pick<UsageStore, "savePrices" | "saveContents" | "spendOf">;

const SHEETS_MAX = 10_000;
/** How long texts that could not be kept wait for each further try. */
const TRY_AGAIN_MS = [1_000, 10_000];
/** They are held in memory meanwhile, so only so many are. */
const WAITING_MAX = 100;

interface Runtime {
  readonly clock: Clock;
  readonly log: Pick<Logger, "error">;
  readonly timers?: Timers;
  /** A call has ended, and goes to the journal next. */
  readonly onEnd?: (record: UsageRecord) => void;
}

/** The books as the gateway sees them. */
export function callBooks(
  { desk, journal }: LedgerSide,
  archive: CallArchive,
  { clock, log, timers = systemTimers, onEnd }: Runtime,
): CallBooks {
  const kept = new Set<string>();
  const spends = new KeySpends(archive, clock);
  let waiting = 0;
  const keep = (contents: CallContents, pauses: readonly number[]): void => {
    archive.saveContents(contents).catch((err: unknown) => {
      const [pause, ...later] = pauses;
      if (pause === undefined || waiting >= WAITING_MAX) {
        log.error({ callId: contents.id, err }, "what was said in a call could not be kept");
        return;
      }
      waiting++;
      timers.after(pause, () => {
        waiting--;
        keep(contents, later);
      });
    });
  };
  return {
    desk,
    journal: {
      open(call) {
        spends.prepare(call.record.keyId);
        return journal.open(call);
      },
      progress: (id, units, cost) => journal.progress(id, units, cost),
      end(record, creditSources) {
        spends.add(record.keyId, record.cost);
        onEnd?.(record);
        return journal.end(record, creditSources);
      },
    },
    creditSources: new Pots(),
    spendOfKey: (keyId) => spends.of(keyId),
    keepSheet({ version, text }: PriceSheet) {
      if (kept.has(version)) return;
      if (kept.size >= SHEETS_MAX) kept.clear();
      kept.add(version);
      archive
        .savePrices({ id: version, prices: text, firstSeenAt: clock.nowMs() })
        // The next call that is charged by it tries again.
        .catch(() => kept.delete(version));
    },
    keepTexts(id, request, response) {
      keep({ id, request, response }, TRY_AGAIN_MS);
    },
  };
}
