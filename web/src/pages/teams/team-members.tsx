import { Badge, Button, Group, Text, Title } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { useState } from "react";
import type { TeamMemberRecord, TeamRecord } from "../../../../src/contract/organizations.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { Breakable } from "../../components/breakable.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useOrganizationKey, useSignedIn } from "../../session/session.ts";
import { LimitsText } from "./limits-text.tsx";
import { RemoveFromTeam } from "./remove-from-team.tsx";
import { TeamMemberDialog } from "./team-member-dialog.tsx";

interface TeamMembersProps {
  readonly team: TeamRecord;
  readonly mayManage: boolean;
  readonly maySetLimits: boolean;
}

const FILTERS = {};

export function TeamMembers({ team, mayManage, maySetLimits }: TeamMembersProps) {
  const [changed, setChanged] = useState<TeamMemberRecord | null>(null);
  const [removed, setRemoved] = useState<TeamMemberRecord | null>(null);
  const { user } = useSignedIn();
  const table = useTable(FILTERS);
  const query = usePagedQuery<TeamMemberRecord>(table, {
    key: [...useOrganizationKey(), "teams", "members", team.id],
    path: `/api/gw/teams/${team.id}/members`,
  });
  const columns: readonly Column<TeamMemberRecord>[] = [
    { name: "name", header: "Member", isSortable: true, cell: (member) => <Person member={member} /> },
    { name: "role", header: "Role", isSortable: true, isWhole: true, cell: ({ role }) => role },
    { name: "limits", header: "Limits", from: "sm", cell: (member) => <LimitsText of={member} /> },
    {
      name: "joinedAt",
      header: "Since",
      isSortable: true,
      from: "md",
      cell: ({ joinedAt }) => <Time at={joinedAt} as="day" none="not yet" />,
    },
    {
      name: "actions",
      header: <ActionsHeader />,
      isFigure: true,
      cell: (member) =>
        member.userId !== null && (mayManage || member.userId === user.id) ? (
          <Group gap="xs" justify="flex-end">
            {mayManage && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Change ${member.name || member.email}`}
                onClick={() => setChanged(member)}
              >
                Change
              </Button>
            )}
            <Button
              size="compact-sm"
              variant="default"
              c="var(--mantine-color-error)"
              onClick={() => setRemoved(member)}
              aria-label={member.userId === user.id ? "Leave" : `Remove ${member.name || member.email}`}
            >
              {member.userId === user.id ? "Leave" : "Remove"}
            </Button>
          </Group>
        ) : null,
    },
  ];
  return (
    <section aria-label="Members">
      <Title order={2} mb="sm">
        Members
      </Title>
      <DataTable
        label="Members"
        columns={columns}
        query={query}
        table={table}
        rowKey={({ id }) => String(id)}
        empty={
          <EmptyState icon={IconUsers} title="Nobody is in this team">
            Invite somebody by their e-mail address.
          </EmptyState>
        }
      />
      {changed && (
        <TeamMemberDialog team={team} member={changed} maySetLimits={maySetLimits} onClose={() => setChanged(null)} />
      )}
      <RemoveFromTeam team={team} member={removed} onClose={() => setRemoved(null)} />
    </section>
  );
}

export const Person = ({ member }: { member: Pick<TeamMemberRecord, "name" | "email" | "status"> }) => (
  <>
    <Group gap="xs">
      <Text fw={560}>
        <Breakable>{member.name || member.email}</Breakable>
      </Text>
      {member.status === "invited" && (
        <Badge variant="light" color="yellow" tt="none">
          invited
        </Badge>
      )}
      {member.email === "" && (
        <Badge variant="light" color="gray" tt="none">
          no sign-in
        </Badge>
      )}
    </Group>
    {member.name !== "" && member.email !== "" && (
      <Text size="sm" c="dimmed">
        <Breakable>{member.email}</Breakable>
      </Text>
    )}
  </>
);
