import { Button, Group, Modal, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { InvitationRecord } from "../../../../src/contract/organizations.ts";
import { apiDelete, apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { Time } from "../../components/time.tsx";
import { useOrganizationKey } from "../../session/session.ts";
import { InviteLink } from "./invite-link.tsx";

/** Invitations that nobody has answered yet. */
export const InvitationsCard = ({ invitations }: { invitations: readonly InvitationRecord[] }) => (
  <section aria-label="Open invitations">
    <Title order={2} mb="sm">
      Open invitations
    </Title>
    <Stack gap="md">
      {invitations.map((invitation) => (
        <Invitation key={invitation.id} invitation={invitation} />
      ))}
    </Stack>
  </section>
);

function Invitation({ invitation }: { invitation: InvitationRecord }) {
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
    <Group justify="space-between">
      <div>
        <Text fw={560} className="wraps">
          {invitation.email}
        </Text>
        <Text size="sm" c="dimmed" className="wraps">
          {invitation.role} of {invitation.teamName} · until <Time at={invitation.expiresAt} />
        </Text>
      </div>
      <Group gap="xs">
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
    </Group>
  );
}
