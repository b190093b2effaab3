import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { BUDGETS_KEY } from "./budget.ts";

export function RemoveBudget({ id }: { id: string }) {
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => apiPost("/budget/delete", { id }),
    onSuccess() {
      dialog.close();
      notifyDone(`${id} is removed.`);
      return client.invalidateQueries({ queryKey: BUDGETS_KEY });
    },
  });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        c="var(--mantine-color-error)"
        onClick={dialog.open}
        aria-label={`Remove ${id}`}
      >
        Remove
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={dialog.close}
        title={`Remove the budget ${id}?`}
        action="Remove"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        It can only be removed when nobody has it any more.
      </ConfirmDialog>
    </>
  );
}
