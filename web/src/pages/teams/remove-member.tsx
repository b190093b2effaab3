import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { MemberRecord } from "../../../../src/contract/organizations.ts";
import { apiDelete } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useOrganization, useOrganizationKey, useSignedIn } from "../../session/session.ts";

/** Takes somebody out of the organization, or lets oneself out. */
export function RemoveMember({ member, onClose }: { member: MemberRecord | null; onClose: () => void }) {
  const organization = useOrganization();
  const client = useQueryClient();
  const key = useOrganizationKey();
  const isSelf = member?.userId === useSignedIn().user.id;
  const remove = useMutation({
    mutationFn: () => apiDelete(`/api/gw/organizations/${organization?.id}/members/${member?.userId}`),
    onSuccess() {
      notifyDone(isSelf ? "You have left the organization." : "The member is out of the organization.");
      onClose();
      return isSelf ? client.resetQueries() : client.invalidateQueries({ queryKey: key });
    },
  });
  return (
    <ConfirmDialog
      opened={member !== null}
      onClose={onClose}
      title={isSelf ? `Leave ${organization?.name}?` : `Remove ${member?.name || member?.email}?`}
      action={isSelf ? "Leave" : "Remove"}
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      {isSelf
        ? "You leave its teams as well. Somebody has to invite you to come back."
        : "They leave all teams as well."}
    </ConfirmDialog>
  );
}
