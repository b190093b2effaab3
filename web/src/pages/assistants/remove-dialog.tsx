import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { keyOf } from "./keys.ts";

interface RemoveDialogProps {
  readonly api: KeyApi;
  /** What is removed; null while nothing is. */
  readonly target: { readonly path: string; readonly name: string } | null;
  /** The lists that change with it: "files". */
  readonly lists: readonly string[];
  readonly action?: string;
  readonly onClose: () => void;
  readonly onDone?: () => void;
  readonly children: ReactNode;
}

/** Asks, and then removes one of the gateway's records. */
export function RemoveDialog({ api, target, lists, action = "Delete", ...props }: RemoveDialogProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: (path: string) => api.remove(path),
    async onSuccess() {
      notifyDone(action === "Delete" ? "It is deleted." : "It is taken out.");
      props.onClose();
      props.onDone?.();
      await Promise.all(lists.map((list) => client.invalidateQueries({ queryKey: keyOf(api, list) })));
    },
  });
  return (
    <ConfirmDialog
      opened={target !== null}
      onClose={props.onClose}
      title={`${action} ${target?.name ?? ""}?`}
      action={action}
      isPending={remove.isPending}
      onConfirm={() => target && remove.mutate(target.path)}
    >
      {props.children}
    </ConfirmDialog>
  );
}
