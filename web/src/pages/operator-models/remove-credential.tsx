import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiDelete } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { PROVIDERS_KEY, type ProviderCredential } from "./use-providers.ts";

export function RemoveCredential({ credential: { name, provider, usedBy } }: { credential: ProviderCredential }) {
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => apiDelete(`/api/admin/providers/${provider}/credentials/${encodeURIComponent(name)}`),
    onSuccess() {
      dialog.close();
      notifyDone(`${name} is removed.`);
      return client.invalidateQueries({ queryKey: PROVIDERS_KEY });
    },
  });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        c="var(--mantine-color-error)"
        onClick={dialog.open}
        aria-label={`Remove ${name}`}
      >
        Remove
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={dialog.close}
        title={`Remove the credential ${name}?`}
        action="Remove"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        {usedBy.length === 0
          ? "Its values are forgotten. No model stands on it."
          : `It is used by ${usedBy.join(", ")}, and can only be removed when those do not stand on it any more.`}
      </ConfirmDialog>
    </>
  );
}
