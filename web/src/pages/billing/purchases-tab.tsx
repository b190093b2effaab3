import { Anchor, Badge, Stack, Text } from "@mantine/core";
import { IconReceipt } from "@tabler/icons-react";
import type { PurchaseRecord } from "../../../../src/contract/purchases.ts";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Money } from "../../components/money.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { payAddress } from "./pay-address.ts";
import { useBillingKey } from "./use-billing.ts";

const COLORS = { paid: "pine", pending: "yellow", failed: "red", expired: "gray", refunded: "gray" } as const;

const COLUMNS: readonly Column<PurchaseRecord>[] = [
  { name: "createdAt", header: "When", isSortable: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: "amount",
    header: "Credits",
    isSortable: true,
    isFigure: true,
    cell: ({ amount }) => <Money nano={amount} exact />,
  },
  {
    name: "status",
    header: "Status",
    cell: ({ status, failure }) => (
      <>
        <Badge variant="light" color={COLORS[status]} tt="none">
          {status}
        </Badge>
        {failure !== null && (
          <Text size="xs" c="dimmed">
            {failure}
          </Text>
        )}
      </>
    ),
  },
  {
    name: "refunded",
    header: "Given back",
    isFigure: true,
    from: "md",
    cell: ({ refunded, disputed }) => (refunded + disputed === 0 ? "-" : <Money nano={refunded + disputed} exact />),
  },
  {
    name: "kind",
    header: "How",
    from: "sm",
    cell: ({ kind, mode }) => `${kind === "checkout" ? "Bought" : "Topped up"}${mode === "test" ? ", test mode" : ""}`,
  },
  { name: "receipt", header: "Paper", isWhole: true, cell: (purchase) => <Paper purchase={purchase} /> },
];

function Paper({ purchase: { id, status, paidAt, checkoutUrl } }: { purchase: PurchaseRecord }) {
  const address = payAddress(checkoutUrl);
  if (paidAt !== null) {
    const path = `/api/billing/purchases/${id}/receipt`;
    return (
      <Stack gap={2} align="flex-start">
        <Anchor href={`${path}?format=html`} target="_blank" rel="noreferrer">
          Receipt
        </Anchor>
        <Anchor href={`${path}?format=pdf`} download={`receipt-${id}.pdf`} aria-label="Receipt as PDF">
          PDF
        </Anchor>
      </Stack>
    );
  }
  return status === "pending" && address !== null ? <Anchor href={address}>Pay</Anchor> : "-";
}

const FILTERS = {};

export function PurchasesTab() {
  const table = useTable(FILTERS);
  const query = usePagedQuery<PurchaseRecord>(table, {
    key: [...useBillingKey(), "purchases"],
    path: "/api/billing/purchases",
  });
  return (
    <DataTable
      label="Purchases"
      columns={COLUMNS}
      query={query}
      table={table}
      rowKey={({ id }) => id}
      empty={
        <EmptyState icon={IconReceipt} title="Nothing bought yet">
          Credits are bought under “Buy credits”; receipts are kept here.
        </EmptyState>
      }
    />
  );
}
