import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useOrganizationKey } from "../../session/session.ts";

interface RollBackButtonProps {
  readonly runId: string;
  readonly round: number;
  readonly onDone: () => void;
}

/** Returns a paused or completed run to this round. */
export function RollBackButton({ runId, round, onDone }: RollBackButtonProps) {
  const client = useQueryClient();
  const queryKey = [...useOrganizationKey(), "training", "runs"];
  const [isOpen, dialog] = useDisclosure();
  const rollBack = useMutation({
    mutationFn: () => apiPost(`/api/training/runs/${runId}/rollback`, { round }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey });
      dialog.close();
      onDone();
    },
  });
  return (
    <>
      <Button variant="default" size="compact-xs" aria-label={`Roll back to round ${round}`} onClick={dialog.open}>
        Roll back
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={dialog.close}
        title={`Roll back to round ${round}?`}
        action="Roll back"
        isPending={rollBack.isPending}
        onConfirm={() => rollBack.mutate()}
      >
        The rounds after it and their models are deleted. The run is paused, and continues when you resume it.
      </ConfirmDialog>
    </>
  );
}
