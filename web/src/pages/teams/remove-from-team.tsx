import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { TeamMemberRecord, TeamRecord } from "../../../../src/contract/organizations.ts";
import { apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useOrganizationKey, useSignedIn } from "../../session/session.ts";

interface RemoveFromTeamProps {
  readonly team: TeamRecord;
  /** Null while nobody is to be removed. */
  readonly member: TeamMemberRecord | null;
  readonly onClose: () => void;
}

export function RemoveFromTeam({ team, member, onClose }: RemoveFromTeamProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const { user } = useSignedIn();
  const isSelf = member?.userId === user.id;
  const remove = useMutation({
    mutationFn: () => apiPost("/api/gw/teams/remove-member", { teamId: team.id, memberId: member?.userId }),
    onSuccess() {
      notifyDone(isSelf ? "You have left the team." : "The member is out of the team.");
      onClose();
      return client.invalidateQueries({ queryKey: [...key, "teams"] });
    },
  });
  return (
    <ConfirmDialog
      opened={member !== null}
      onClose={onClose}
      title={isSelf ? `Leave the team ${team.name}?` : `Take ${member?.name || member?.email} out of ${team.name}?`}
      action={isSelf ? "Leave" : "Remove"}
      isPending={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      They stay in the organization, and can be brought back.
    </ConfirmDialog>
  );
}
