import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconUsersGroup } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import type { TeamRecord } from "../../../../src/contract/organizations.ts";
import { AppLink } from "../../components/app-link.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useMaySee, useOrganizationKey } from "../../session/session.ts";
import { LimitsText } from "./limits-text.tsx";
import { NewTeamDialog } from "./new-team-dialog.tsx";
import { TeamBadge } from "./team-status.tsx";

const COLUMNS: readonly Column<TeamRecord>[] = [
  {
    name: "name",
    header: "Team",
    isSortable: true,
    cell: ({ id, name }) => (
      <AppLink to={`/teams/${id}`} fw={560} underline="hover">
        {name}
      </AppLink>
    ),
  },
  { name: "status", header: "Status", cell: (team) => <TeamBadge team={team} /> },
  { name: "members", header: "Members", isFigure: true, from: "xs", cell: ({ membersCount }) => membersCount },
  { name: "keys", header: "Keys", isFigure: true, from: "xs", cell: ({ keysCount }) => keysCount },
  { name: "limits", header: "Limits", from: "md", cell: (team) => <LimitsText of={team} /> },
  {
    name: "createdAt",
    header: "Since",
    isSortable: true,
    from: "lg",
    cell: ({ createdAt }) => <Time at={createdAt} as="day" />,
  },
];
const FILTERS = {};

export default function TeamsPage() {
  const table = useTable(FILTERS);
  const query = usePagedQuery<TeamRecord>(table, { key: [...useOrganizationKey(), "teams"], path: "/api/gw/teams" });
  const mayManage = useMaySee()("organization");
  const [isOpen, dialog] = useDisclosure();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        title="Teams"
        about="Keys belong to teams. A team has members, limits and models of its own."
        actions={
          mayManage && (
            <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
              New team
            </Button>
          )
        }
      />
      <DataTable
        label="Teams"
        columns={COLUMNS}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        onRow={({ id }) => void navigate({ to: `/teams/${id}` as never })}
        empty={
          <EmptyState icon={IconUsersGroup} title="You are in no team">
            {mayManage ? "Make one, and invite people to it." : "Ask an owner or admin to bring you into one."}
          </EmptyState>
        }
      />
      <NewTeamDialog opened={isOpen} onClose={dialog.close} />
    </>
  );
}
