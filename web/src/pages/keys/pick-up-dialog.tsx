import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiKeyRecord, FreshKeyRecord } from "../../../../src/contract/keys.ts";
import { apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useOrganizationKey } from "../../session/session.ts";

interface PickUpDialogProps {
  readonly subject: ApiKeyRecord | null;
  readonly onClose: () => void;
  readonly onDone: (key: FreshKeyRecord) => void;
}

/** Asked first: whoever opens it by chance would be the only one who has seen the value. */
export function PickUpDialog({ subject, onClose, onDone }: PickUpDialogProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const pickUp = useMutation({
    mutationFn: (id: string) => apiPost<FreshKeyRecord>(`/api/gw/api-keys/${id}/pick-up`),
    onSuccess(shown) {
      void client.invalidateQueries({ queryKey: [...key, "keys"] });
      onClose();
      onDone(shown);
    },
  });
  return (
    <ConfirmDialog
      opened={subject !== null}
      onClose={onClose}
      title={`Pick up the new value of ${subject?.name ?? ""}?`}
      action="Show it"
      isDangerous={false}
      isPending={pickUp.isPending}
      onConfirm={() => subject && pickUp.mutate(subject.id)}
    >
      It is shown this once, to you alone. Have the place at hand where it is to be kept.
    </ConfirmDialog>
  );
}
