import type { StatementLine } from "../../billing/statement.ts";
import { formatUsd } from "../../contract/money.ts";
import { isoTime } from "../../contract/users.ts";
import type { PaperTable } from "./paper-document.ts";

/** Entries of the books under the ids by which they are found there, and what they come to. */
export const entriesTable = (
  title: string,
  lines: readonly StatementLine[],
  time: (ms: number) => string,
): PaperTable => ({
  title,
  columns: [
    { name: "Time", kind: "short" },
    { name: "Entry", kind: "short" },
    { name: "Kind", kind: "short" },
    { name: "For", kind: "words" },
    { name: "USD", kind: "money" },
  ],
  rows: lines.map(({ id, at, kind, reason, amount }) => [time(at), id, kind, reason, formatUsd(amount)]),
  total: ["Total", "", "", "", formatUsd(lines.reduce((sum, { amount }) => sum + amount, 0n))],
});

export const entryRecord = ({ id, at, kind, reason, amount }: StatementLine) => ({
  id,
  at: isoTime(at),
  kind,
  reason,
  amount: Number(amount),
  amountUsd: formatUsd(amount),
});
