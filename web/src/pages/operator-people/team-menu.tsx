import { Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { RowMenu } from "../../components/row-menu.tsx";
import { gatewayAllowed } from "./limits.ts";
import { LimitsDialog } from "./limits-dialog.tsx";
import { type AdminTeam, TEAMS_KEY } from "./organization.ts";

export function TeamMenu({ team }: { team: AdminTeam }) {
  const client = useQueryClient();
  const [isLimiting, limits] = useDisclosure();
  const [isAsking, ask] = useDisclosure();
  const refresh = () => client.invalidateQueries({ queryKey: TEAMS_KEY });
  const isBlocked = team.blockedReason === "admin";
  const verb = isBlocked ? "unblock" : "block";
  const block = useMutation({
    mutationFn: () => apiPost(`/api/admin/teams/${team.id}/${verb}`),
    onSuccess() {
      ask.close();
      notifyDone(`${team.name} is ${verb}ed.`);
      return refresh();
    },
  });
  return (
    <>
      <RowMenu label={`What to do with ${team.name} of ${team.organizationName}`}>
        <Menu.Item onClick={limits.open}>Change the limits</Menu.Item>
        <Menu.Item onClick={ask.open} {...(isBlocked ? {} : { c: "var(--mantine-color-error)" })}>
          {isBlocked ? "Unblock" : "Block"}
        </Menu.Item>
      </RowMenu>
      <LimitsDialog
        opened={isLimiting}
        onClose={limits.close}
        title={`Limits of ${team.name}`}
        allowed={team}
        send={(values) => apiPost("/team/update", { team_id: team.id, ...gatewayAllowed(values) })}
        onDone={() => {
          notifyDone("The limits are changed.");
          void refresh();
        }}
      />
      <ConfirmDialog
        opened={isAsking}
        onClose={ask.close}
        title={isBlocked ? `Unblock ${team.name}?` : `Block ${team.name}?`}
        action={isBlocked ? "Unblock" : "Block"}
        isDangerous={!isBlocked}
        isPending={block.isPending}
        onConfirm={() => block.mutate()}
      >
        {isBlocked
          ? "Its keys work again from the next call on, unless the organization's balance blocks it."
          : `Its ${team.keysCount} keys are refused from the very next call on.`}
      </ConfirmDialog>
    </>
  );
}
