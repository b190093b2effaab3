import { Group, Stack, Text } from "@mantine/core";
import { IconUsersGroup } from "@tabler/icons-react";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { AppLink } from "../../components/app-link.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { LimitsText } from "./limits-text.tsx";
import { OnlyOrganization } from "./only-organization.tsx";
import { type AdminTeam, TEAMS_KEY } from "./organization.ts";
import { StatusBadge } from "./status-badge.tsx";
import { TeamMenu } from "./team-menu.tsx";

const FILTERS = { search: "", organizationId: "" };

export default function TeamsPage() {
  const table = useTable(FILTERS);
  const { search, organizationId } = table.state;
  const query = usePagedQuery<AdminTeam>(table, {
    key: TEAMS_KEY,
    path: "/api/admin/teams",
    query: { search, organizationId },
  });
  return (
    <>
      <PageHeader title="All teams" about="Teams of every organization; keys belong to them." />
      <Group mb="md">
        <SearchField label="Search teams" value={search} onSearch={(text) => table.set({ search: text })} />
        <OnlyOrganization id={organizationId} onClear={() => table.set({ organizationId: "" })} />
      </Group>
      <DataTable
        label="Teams"
        columns={COLUMNS}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconUsersGroup} title="No team fits">
            Search for another name.
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<AdminTeam>[] = [
  {
    name: "name",
    header: "Team",
    isSortable: true,
    cell: ({ name, organizationId, organizationName }) => (
      <Stack gap={0}>
        <Text size="sm" fw={560} className="wraps">
          {name}
        </Text>
        <AppLink to={`/operator/organizations/${organizationId}`} size="xs" className="wraps">
          {organizationName}
        </AppLink>
      </Stack>
    ),
  },
  {
    name: "status",
    header: "Status",
    cell: ({ status, blockedReason }) => (
      <Group gap={6}>
        <StatusBadge status={status} />
        {blockedReason && (
          <Text size="xs" c="dimmed">
            {blockedReason === "balance" ? "nothing is left" : "by an operator"}
          </Text>
        )}
      </Group>
    ),
  },
  { name: "limits", header: "Limits", from: "md", cell: (row) => <LimitsText limits={row} /> },
  {
    name: "models",
    header: "Models",
    from: "lg",
    cell: ({ models }) => (models.length === 0 ? "all" : `${models.length} of them`),
  },
  { name: "members", header: "People", isFigure: true, from: "sm", cell: (row) => row.membersCount.toLocaleString() },
  { name: "keys", header: "Keys", isFigure: true, from: "sm", cell: (row) => row.keysCount.toLocaleString() },
  { name: "menu", header: <ActionsHeader />, isFigure: true, cell: (row) => <TeamMenu team={row} /> },
];
