import { IconListDetails } from "@tabler/icons-react";
import type { LedgerLineRecord } from "../../../../src/contract/billing.ts";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { kindWords } from "./entry-kinds.ts";
import { useBillingKey } from "./use-billing.ts";

const COLUMNS: readonly Column<LedgerLineRecord>[] = [
  { name: "at", header: "When", isSortable: true, cell: ({ at }) => <Time at={at} /> },
  { name: "kind", header: "What", isWhole: true, cell: ({ kind }) => kindWords(kind) },
  { name: "reason", header: "For", from: "sm", cell: ({ reason }) => reason },
  {
    name: "amount",
    header: "Amount",
    isFigure: true,
    cell: ({ amount }) => <Money nano={amount} exact fw={amount > 0 ? 620 : 400} />,
  },
  {
    name: "balance",
    header: "Balance after",
    isFigure: true,
    from: "xs",
    cell: ({ balance }) => <Money nano={balance} exact />,
  },
];
const FILTERS = {};

/** Every entry that moved the credit, the newest first. */
export function LedgerTab() {
  const table = useTable(FILTERS);
  const query = usePagedQuery<LedgerLineRecord>(table, {
    key: [...useBillingKey(), "ledger"],
    path: "/api/billing/ledger",
  });
  return (
    <DataTable
      label="Ledger"
      columns={COLUMNS}
      query={query}
      table={table}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon={IconListDetails} title="Nothing has moved yet">
          Purchases, grants and calls are written down here, with the balance after each.
        </EmptyState>
      }
    />
  );
}
