import { Alert, Badge, Code, Group, Select, Text } from "@mantine/core";
import { IconAlertTriangle, IconWebhook } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import type { Column } from "../../components/column.ts";
import { counted } from "../../components/counted.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";

interface PaymentEvent {
  readonly id: string;
  readonly provider: string;
  readonly type: string;
  readonly status: "received" | "done" | "ignored" | "failed" | "parked";
  readonly purchaseId: string | null;
  readonly attempts: number;
  readonly error: string | null;
  readonly firstSeenAt: string;
}

const KEY = ["operator", "payment-events"] as const;
const PATH = "/api/admin/webhook-events";
const COLORS = { received: "yellow", done: "pine", ignored: "gray", failed: "red", parked: "orange" } as const;
const FILTERS = { status: "" };

export default function PaymentsPage() {
  const table = useTable(FILTERS);
  const { status } = table.state;
  const query = usePagedQuery<PaymentEvent>(table, { key: KEY, path: PATH, query: { status } });
  const parked = useQuery({
    queryKey: [...KEY, "parked"],
    queryFn: ({ signal }) => apiGet<Paged<PaymentEvent>>(PATH, { status: "parked", pageSize: 1 }, signal),
  });
  const waiting = parked.data?.meta.total ?? 0;
  return (
    <>
      <PageHeader
        title="Payment events"
        about="What the payment provider told, and what came of it. The latest come first."
      />
      {waiting > 0 && (
        <Alert
          color="orange"
          mb="md"
          icon={<IconAlertTriangle size={18} />}
          title={counted(waiting, "waits for a person", "wait for a person")}
        >
          What was told does not fit what was bought, or nobody knows the purchase: nothing was credited for them. Or
          the organization was removed before it paid: that is in its books.
        </Alert>
      )}
      <Group mb="md">
        <Select
          aria-label="Status"
          placeholder="Any status"
          data={Object.keys(COLORS)}
          value={status || null}
          onChange={(value) => table.set({ status: value ?? "" })}
          clearable
        />
      </Group>
      <DataTable
        label="Payment events"
        columns={COLUMNS}
        query={query}
        table={table}
        rowKey={({ provider, id }) => `${provider} ${id}`}
        empty={
          <EmptyState icon={IconWebhook} title={status === "" ? "No events yet" : "None of this status"}>
            {status === "" ? "The first one comes when somebody buys credits." : "Choose another status."}
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<PaymentEvent>[] = [
  {
    name: "type",
    header: "Event",
    cell: ({ type, error }) => (
      <>
        <Text size="sm" className="wraps">
          {type}
        </Text>
        {error && (
          <Text size="xs" c="var(--mantine-color-error)" className="wraps">
            {error}
          </Text>
        )}
      </>
    ),
  },
  {
    name: "status",
    header: "Status",
    cell: ({ status }) => (
      <Badge variant="light" color={COLORS[status]} tt="none">
        {status}
      </Badge>
    ),
  },
  { name: "provider", header: "Told by", from: "md", cell: ({ provider }) => provider },
  {
    name: "purchase",
    header: "Purchase",
    from: "lg",
    cell: ({ purchaseId }) => (purchaseId === null ? "" : <Code className="wraps">{purchaseId}</Code>),
  },
  {
    name: "attempts",
    header: "Tries",
    isFigure: true,
    from: "sm",
    isSortable: true,
    cell: ({ attempts }) => attempts.toLocaleString(),
  },
  {
    name: "firstSeenAt",
    header: "When",
    from: "xs",
    isSortable: true,
    cell: ({ firstSeenAt }) => <Time at={firstSeenAt} size="sm" />,
  },
];
