import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { TeamRecord } from "../../../../src/contract/organizations.ts";
import { apiDelete } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useOrganizationKey } from "../../session/session.ts";

export function DeleteTeam({ team }: { team: TeamRecord }) {
  const [isAsking, ask] = useDisclosure();
  const client = useQueryClient();
  const key = useOrganizationKey();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => apiDelete(`/api/gw/teams/${team.id}`),
    async onSuccess() {
      notifyDone("The team and its keys are gone.");
      await navigate({ to: "/teams" as never });
      client.removeQueries({ queryKey: [...key, "teams", "one", team.id] });
      await client.invalidateQueries({ queryKey: key });
    },
  });
  return (
    <>
      <Button variant="default" c="var(--mantine-color-error)" onClick={ask.open}>
        Delete the team
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={ask.close}
        title={`Delete the team ${team.name}?`}
        action="Delete"
        typed={team.name}
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        {keysEnd(team.keysCount)} Its members stay in the organization. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}

function keysEnd(count: number): string {
  if (count === 0) return "It has no keys.";
  return count === 1 ? "Its key stops working at once." : `Its ${count} keys stop working at once.`;
}
