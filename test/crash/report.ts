import { formatUsd } from "../../src/contract/money.ts";
import type { CrashReport, CrashRun } from "./harness.ts";

const pad = (value: string | number, width: number) => String(value).padStart(width);

export const RUN_HEADING = `${"run".padStart(4)}  ${"killed at".padEnd(44)} ${pad("calls", 7)} ${pad("whole", 7)} ${pad("cut", 5)} ${pad("lost", 6)}`;

export const renderRun = ({ run, at, calls, whole, cut, lost }: CrashRun): string =>
  `${pad(run, 4)}  ${at.padEnd(44)} ${pad(calls, 7)} ${pad(whole, 7)} ${pad(cut, 5)} ${pad(lost, 6)}`;

export function renderBooks({ seed, books, verify }: CrashReport): string {
  const statuses = Object.entries(books.byStatus).map(([status, count]) => `${count} ${status}`);
  return [
    `calls that the provider served   ${books.servedCalls}`,
    `calls in the books               ${books.rows} (${statuses.join(", ")})`,
    `opened, never served             ${books.neverServed}`,
    `charged                          ${formatUsd(books.chargedNanoUsd)} USD`,
    `turnpike ledger verify           ${verify.code === 0 ? "all invariants hold" : `exit code ${verify.code}`}`,
    `seed                             ${seed}`,
    books.faults.length === 0 ? "no call lost, none charged twice" : `${books.faults.length} faults:`,
    ...books.faults.map((fault) => `  ${fault}`),
  ].join("\n");
}

export const isClean = ({ books, verify }: CrashReport): boolean => books.faults.length === 0 && verify.code === 0;
