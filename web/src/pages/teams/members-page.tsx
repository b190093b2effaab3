import { Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconUsers } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { InvitationRecord, MemberRecord } from "../../../../src/contract/organizations.ts";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useMaySee, useOrganization, useOrganizationKey, useSignedIn } from "../../session/session.ts";
import { InvitationsCard } from "./invitations-card.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { RemoveMember } from "./remove-member.tsx";
import { RoleSelect } from "./role-select.tsx";
import { Person } from "./team-members.tsx";

const FILTERS = {};

export default function MembersPage() {
  const organization = useOrganization();
  const key = useOrganizationKey();
  const mayManage = useMaySee()("organization");
  /** Owners are made and unmade by owners. */
  const mayChange = ({ role }: MemberRecord) => mayManage && (role !== "owner" || organization?.role === "owner");
  const { user } = useSignedIn();
  const [isInviting, invite] = useDisclosure();
  const [removed, setRemoved] = useState<MemberRecord | null>(null);
  const table = useTable(FILTERS);
  const query = usePagedQuery<MemberRecord>(table, {
    key: [...key, "members"],
    path: `/api/gw/organizations/${organization?.id}/members`,
  });
  const invitations = useQuery({
    queryKey: [...key, "invitations"],
    queryFn: ({ signal }) => apiGet<Paged<InvitationRecord>>("/api/invitations", { pageSize: 100 }, signal),
  });
  const columns: readonly Column<MemberRecord>[] = [
    { name: "name", header: "Member", isSortable: true, cell: (member) => <Person member={member} /> },
    {
      name: "role",
      header: "Role",
      isSortable: true,
      isWhole: true,
      ...(mayManage ? { width: 112 } : {}),
      cell: (member) =>
        mayChange(member) && member.userId !== null && member.userId !== user.id ? (
          <RoleSelect member={member} />
        ) : (
          member.role
        ),
    },
    {
      name: "joinedAt",
      header: "Since",
      isSortable: true,
      from: "sm",
      cell: ({ joinedAt }) => <Time at={joinedAt} as="day" none="not yet" />,
    },
    {
      name: "actions",
      header: <ActionsHeader />,
      isFigure: true,
      cell: (member) =>
        member.userId !== null && (mayChange(member) || member.userId === user.id) ? (
          <Button
            size="compact-sm"
            variant="default"
            c="var(--mantine-color-error)"
            onClick={() => setRemoved(member)}
            aria-label={member.userId === user.id ? "Leave" : `Remove ${member.name || member.email}`}
          >
            {member.userId === user.id ? "Leave" : "Remove"}
          </Button>
        ) : null,
    },
  ];
  const open = invitations.data?.data ?? [];
  return (
    <>
      <PageHeader
        title="Members"
        about={organization && `Everybody in ${organization.name}.`}
        actions={mayManage && <Button onClick={invite.open}>Invite</Button>}
      />
      <Stack gap="xl">
        <DataTable
          label="Members"
          columns={columns}
          query={query}
          table={table}
          rowKey={({ id }) => String(id)}
          empty={<EmptyState icon={IconUsers} title="Nobody is here" />}
        />
        {open.length > 0 && <InvitationsCard invitations={open} />}
      </Stack>
      <InviteDialog opened={isInviting} onClose={invite.close} />
      <RemoveMember member={removed} onClose={() => setRemoved(null)} />
    </>
  );
}
