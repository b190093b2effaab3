import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { notifyDone } from "./notify.ts";

interface RemoveButtonProps {
  readonly name: string;
  /** What it is, as in "Remove the budget x?". */
  readonly what: string;
  readonly remove: () => Promise<unknown>;
  /** The lists that it was in. */
  readonly queryKey: QueryKey;
  readonly children: ReactNode;
}

/** A small button in a row that removes what the row is about, once that was confirmed. */
export function RemoveButton(props: RemoveButtonProps) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button
        size="xs"
        variant="default"
        c="var(--mantine-color-error)"
        onClick={dialog.open}
        aria-label={`Remove ${props.name}`}
      >
        Remove
      </Button>
      <RemovalDialog {...props} opened={isOpen} onClose={dialog.close} />
    </>
  );
}

interface RemovalDialogProps extends RemoveButtonProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The question before it, also where the entry of a menu asks it. */
export function RemovalDialog({ name, what, remove, queryKey, children, opened, onClose }: RemovalDialogProps) {
  const client = useQueryClient();
  const removal = useMutation({
    mutationFn: remove,
    onSuccess() {
      onClose();
      notifyDone(`${name} is removed.`);
      return client.invalidateQueries({ queryKey });
    },
  });
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      title={`Remove the ${what} ${name}?`}
      action="Remove"
      isPending={removal.isPending}
      onConfirm={() => removal.mutate()}
    >
      {children}
    </ConfirmDialog>
  );
}
