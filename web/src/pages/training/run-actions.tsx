import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { RunRecord } from "../../../../src/contract/training.ts";
import { apiDelete, apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useOrganizationKey } from "../../session/session.ts";
import { isEnded, isMoving } from "./run-badge.tsx";

interface RunActionsProps {
  readonly run: Pick<RunRecord, "id" | "name">;
  readonly status: RunRecord["status"];
}

/** What may be done with a run in the state that it is in. */
export function RunActions({ run: { id, name }, status }: RunActionsProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const queryKey = [...useOrganizationKey(), "training", "runs"];
  const [isOpen, dialog] = useDisclosure();
  const refresh = () => client.invalidateQueries({ queryKey });
  const control = useMutation({
    mutationFn: (verb: "pause" | "resume" | "cancel") => apiPost(`/api/training/runs/${id}/${verb}`),
    onSuccess() {
      dialog.close();
      return refresh();
    },
  });
  const remove = useMutation({
    mutationFn: () => apiDelete(`/api/training/runs/${id}`),
    async onSuccess() {
      dialog.close();
      notifyDone("The run is deleted.");
      await navigate({ to: "/training/runs" as never });
      client.removeQueries({ queryKey: [...queryKey, id] });
      void refresh();
    },
  });
  const over = isEnded(status);
  return (
    <>
      {isMoving(status) && (
        <Button variant="default" loading={control.isPending} onClick={() => control.mutate("pause")}>
          Pause
        </Button>
      )}
      {status === "paused" && (
        <Button loading={control.isPending} onClick={() => control.mutate("resume")}>
          Resume
        </Button>
      )}
      <Button variant="default" c="var(--mantine-color-error)" onClick={dialog.open}>
        {over ? "Delete" : "Cancel the run"}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={dialog.close}
        title={over ? `Delete the run ${name}?` : `Cancel the run ${name}?`}
        action={over ? "Delete" : "Cancel the run"}
        isPending={control.isPending || remove.isPending}
        onConfirm={() => (over ? remove.mutate() : control.mutate("cancel"))}
      >
        {over
          ? "Its rounds, its models and its report are deleted for good. The audit log keeps what happened."
          : "It cannot be taken up again. Its rounds and models stay until it is deleted."}
      </ConfirmDialog>
    </>
  );
}
