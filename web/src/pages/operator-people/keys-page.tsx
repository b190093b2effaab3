import { Group, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { AppLink } from "../../components/app-link.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Money } from "../../components/money.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { KeyMenu } from "./key-menu.tsx";
import { LimitsText } from "./limits-text.tsx";
import { OnlyOrganization } from "./only-organization.tsx";
import { type AdminKey, KEYS_KEY } from "./organization.ts";
import { StatusBadge } from "./status-badge.tsx";

const FILTERS = { search: "", organizationId: "" };

export default function KeysPage() {
  const table = useTable(FILTERS);
  const { search, organizationId } = table.state;
  const query = usePagedQuery<AdminKey>(table, {
    key: KEYS_KEY,
    path: "/api/admin/api-keys",
    query: { search, organizationId },
  });
  return (
    <>
      <PageHeader
        title="All keys"
        about="Keys of every organization. Nobody can read one again, but you can switch it off."
      />
      <Group mb="md">
        <SearchField
          label="Search by name or last four"
          value={search}
          onSearch={(text) => table.set({ search: text })}
        />
        <OnlyOrganization id={organizationId} onClear={() => table.set({ organizationId: "" })} />
      </Group>
      <DataTable
        label="Keys"
        columns={COLUMNS}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconKey} title={search === "" ? "No keys yet" : "No key fits"}>
            {search === ""
              ? "People make keys in their teams."
              : "Search for another name, or the last four characters."}
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<AdminKey>[] = [
  {
    name: "name",
    header: "Key",
    isSortable: true,
    cell: ({ name, maskedToken, teamName, organizationName }) => (
      <Stack gap={0}>
        <Text size="sm" fw={560} className="wraps">
          {name}
        </Text>
        <Text size="xs" c="dimmed" ff="monospace">
          {maskedToken}
        </Text>
        <Text size="xs" c="dimmed" className="wraps" hiddenFrom="sm">
          {[teamName, organizationName].join(", ")}
        </Text>
      </Stack>
    ),
  },
  {
    name: "team",
    header: "Whose",
    from: "sm",
    cell: ({ teamName, organizationId, organizationName }) => (
      <Stack gap={0}>
        <Text size="sm" className="wraps">
          {teamName}
        </Text>
        <AppLink to={`/operator/organizations/${organizationId}`} size="xs" className="wraps">
          {organizationName}
        </AppLink>
      </Stack>
    ),
  },
  { name: "status", header: "Status", cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: "spend",
    header: "Spent",
    isFigure: true,
    isSortable: true,
    cell: ({ spend }) => <Money size="sm" nano={spend} />,
  },
  { name: "limits", header: "Limits", from: "lg", cell: (row) => <LimitsText limits={row} /> },
  {
    name: "lastUsedAt",
    header: "Last used",
    isSortable: true,
    from: "md",
    cell: ({ lastUsedAt }) => <Time at={lastUsedAt} as="ago" size="sm" />,
  },
  { name: "menu", header: <ActionsHeader />, isFigure: true, cell: (row) => <KeyMenu apiKey={row} /> },
];
