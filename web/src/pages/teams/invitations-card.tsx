import { Box, Button, Group, Modal, Table, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { InvitationRecord } from "../../../../src/contract/organizations.ts";
import { apiDelete, apiPost } from "../../api/client.ts";
import { useSearchState } from "../../app/use-search-state.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { Breakable } from "../../components/breakable.tsx";
import type { Column } from "../../components/column.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import classes from "../../components/data-table.module.css";
import { notifyDone } from "../../components/notify.ts";
import { SortHeader } from "../../components/sort-header.tsx";
import { TableRow } from "../../components/table-rows.tsx";
import { Time } from "../../components/time.tsx";
import { useOrganizationKey } from "../../session/session.ts";
import { InviteLink } from "./invite-link.tsx";

const STATE = { invitations: "" };
const COLUMNS: readonly Column<InvitationRecord>[] = [
  {
    name: "email",
    header: "Invited",
    isSortable: true,
    cell: ({ email, role, teamName, expiresAt }) => (
      <>
        <Text fw={560}>
          <Breakable>{email}</Breakable>
        </Text>
        <Text size="sm" c="dimmed">
          {role} of {teamName}
          <Text span inherit hiddenFrom="sm">
            , until <Time at={expiresAt} />
          </Text>
        </Text>
      </>
    ),
  },
  {
    name: "expiresAt",
    header: "Until",
    isSortable: true,
    from: "sm",
    cell: ({ expiresAt }) => <Time at={expiresAt} />,
  },
  {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    cell: (invitation) => <Actions invitation={invitation} />,
  },
];

/** Invitations that nobody has answered yet: all of them, as there may only be some dozens. */
export function InvitationsCard({ invitations }: { invitations: readonly InvitationRecord[] }) {
  const [{ invitations: sort }, set] = useSearchState(STATE);
  return (
    <section aria-label="Open invitations">
      <Title order={2} mb="sm">
        Open invitations
      </Title>
      <Box className={classes.frame}>
        <Table.ScrollContainer minWidth={0}>
          <Table aria-label="Open invitations">
            <Table.Thead>
              <Table.Tr>
                {COLUMNS.map((column) => (
                  <SortHeader
                    key={column.name}
                    column={column}
                    sort={sort}
                    onSort={(next) => set({ invitations: next })}
                  />
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody className={classes.body}>
              {sorted(invitations, sort).map((invitation) => (
                <TableRow key={invitation.id} row={invitation} columns={COLUMNS} onRow={undefined} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Box>
    </section>
  );
}

function sorted(invitations: readonly InvitationRecord[], sort: string): readonly InvitationRecord[] {
  const field = sort.replace(/^-/, "");
  if (field !== "email" && field !== "expiresAt") return invitations;
  const up = invitations.toSorted((a, b) => a[field].localeCompare(b[field]));
  return sort === field ? up : up.toReversed();
}

function Actions({ invitation }: { invitation: InvitationRecord }) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const [isAsking, setAsking] = useState(false);
  const [sent, setSent] = useState<InvitationRecord | null>(null);
  const resend = useMutation({
    mutationFn: () => apiPost<InvitationRecord>(`/api/invitations/${invitation.id}/resend`),
    onSuccess: setSent,
  });
  const revoke = useMutation({
    mutationFn: () => apiDelete(`/api/invitations/${invitation.id}`),
    onSuccess() {
      notifyDone("The invitation is taken back; its link is worth nothing.");
      setAsking(false);
      return client.invalidateQueries({ queryKey: key });
    },
  });
  return (
    <>
      <Group gap="xs" justify="flex-end">
        <Button size="compact-sm" variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
          New link
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
          Take back
        </Button>
      </Group>
      <Modal
        opened={sent !== null}
        onClose={() => setSent(null)}
        title="A new link"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {sent && <InviteLink invitation={sent} />}
      </Modal>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Take back the invitation of ${invitation.email}?`}
        action="Take back"
        isPending={revoke.isPending}
        onConfirm={() => revoke.mutate()}
      >
        Its link stops working. They can be invited again.
      </ConfirmDialog>
    </>
  );
}
