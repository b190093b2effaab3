import { formatUsd } from "../../contract/money.ts";
import type { PaperTable } from "./paper-document.ts";

type Sum = readonly [name: string, amount: bigint];

/** What a paper comes to, sum by sum. */
export const summaryTable = (sums: readonly Sum[], total: Sum): PaperTable => ({
  title: "Summary",
  columns: [
    { name: "", kind: "words" },
    { name: "USD", kind: "money" },
  ],
  rows: sums.map(line),
  total: line(total),
});

const line = ([name, amount]: Sum): string[] => [name, formatUsd(amount)];
