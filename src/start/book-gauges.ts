import type { WatchedGauge } from "../http/metrics.ts";
import type { Books } from "./compose-books.ts";

/** How the books stand, for /metrics. */
export const bookGauges = ({ standing }: Pick<Books, "standing">): readonly WatchedGauge[] => [
  ["turnpike_settlement_waiting", "Ended calls that are not in the database yet.", () => standing().settler.waiting],
  ["turnpike_settlement_lag_seconds", "Age of the oldest of them.", () => standing().settler.lagMs / 1000, "max"],
  [
    "turnpike_settlement_stuck",
    "Calls that the database refuses; they stay in the journal.",
    () => standing().settler.stuck,
  ],
  ["turnpike_journal_bytes", "Size of the usage journal.", () => standing().journal.bytes],
  ["turnpike_journal_kept", "Ends of calls that a full disk has not taken yet.", () => standing().journal.kept],
  ["turnpike_journal_damaged_lines", "Damaged lines that were found at the start.", () => standing().damagedLines],
  ["turnpike_leased_pots", "Leases of wallets and budgets.", () => standing().desk.creditSources],
  ["turnpike_calls_waiting_for_credit", "Calls that wait for a lease.", () => standing().desk.waiting],
  ["turnpike_ledger_differences", "What the last reconciliation found to differ.", () => standing().differences, "max"],
  ["turnpike_books_faults", "Failures of the books since the start.", () => standing().faults, "total"],
];
