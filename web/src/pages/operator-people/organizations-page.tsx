import { Group, Stack, Text } from "@mantine/core";
import { IconBuilding } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Money } from "../../components/money.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { AddOrganization } from "./add-organization.tsx";
import { LimitsText } from "./limits-text.tsx";
import { type AdminOrganization, ORGANIZATIONS_KEY } from "./organization.ts";
import { StatusBadge } from "./status-badge.tsx";

/** `give: "credit"` is on the way to giving some: whichever is opened asks how much. */
const FILTERS = { search: "", give: "" };

export default function OrganizationsPage() {
  const table = useTable(FILTERS);
  const { search, give } = table.state;
  const navigate = useNavigate();
  const query = usePagedQuery<AdminOrganization>(table, {
    key: ORGANIZATIONS_KEY,
    path: "/api/admin/organizations",
    query: { search },
  });
  return (
    <>
      <PageHeader
        title="Organizations"
        about={
          give === "credit"
            ? "Choose the organization that you give credit to."
            : "Whoever buys or is billed. People make one when they sign up."
        }
        actions={<AddOrganization />}
      />
      <Group mb="md">
        <SearchField label="Search organizations" value={search} onSearch={(text) => table.set({ search: text })} />
      </Group>
      <DataTable
        label="Organizations"
        columns={COLUMNS}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        onRow={({ id }) =>
          void navigate({ to: `/operator/organizations/${id}`, search: give === "" ? {} : { give } } as never)
        }
        empty={
          <EmptyState icon={IconBuilding} title={search === "" ? "No organizations yet" : "No organization fits"}>
            {search === "" ? "The first one is made when somebody signs up." : "Search for another name."}
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<AdminOrganization>[] = [
  {
    name: "name",
    header: "Organization",
    isSortable: true,
    cell: ({ name, slug }) => (
      <Stack gap={0}>
        <Text size="sm" fw={560} className="wraps">
          {name}
        </Text>
        <Text size="xs" c="dimmed" className="wraps">
          {slug}
        </Text>
      </Stack>
    ),
  },
  { name: "status", header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  { name: "billing", header: "Pays", from: "md", cell: ({ billing }) => billing },
  {
    name: "balance",
    header: "Balance",
    isSortable: true,
    isFigure: true,
    cell: ({ quota }) => (
      <Money size="sm" nano={quota.balance} {...(quota.balance < 0 ? { c: "var(--mantine-color-error)" } : {})} />
    ),
  },
  { name: "limits", header: "Limits", from: "lg", cell: (row) => <LimitsText limits={row} /> },
  { name: "members", header: "People", isFigure: true, from: "sm", cell: (row) => row.membersCount.toLocaleString() },
  { name: "teams", header: "Teams", isFigure: true, from: "sm", cell: (row) => row.teamsCount.toLocaleString() },
  {
    name: "createdAt",
    header: "Since",
    isSortable: true,
    from: "lg",
    cell: ({ createdAt }) => <Time at={createdAt} as="day" size="sm" />,
  },
];
