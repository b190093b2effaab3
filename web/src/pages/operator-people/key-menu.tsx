import { Menu } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { RowMenu } from "../../components/row-menu.tsx";
import { gatewayAllowed } from "./limits.ts";
import { LimitsDialog } from "./limits-dialog.tsx";
import { type AdminKey, KEYS_KEY } from "./organization.ts";

export function KeyMenu({ apiKey }: { apiKey: AdminKey }) {
  const client = useQueryClient();
  const [isLimiting, limits] = useDisclosure();
  const [isRemoving, removal] = useDisclosure();
  const refresh = () => client.invalidateQueries({ queryKey: KEYS_KEY });
  const isOn = apiKey.status !== "disabled";
  const turn = useMutation({
    mutationFn: () => apiPost(isOn ? "/key/block" : "/key/unblock", { key: apiKey.id }),
    onSuccess() {
      notifyDone(`${apiKey.name} is switched ${isOn ? "off" : "on"}.`);
      return refresh();
    },
  });
  const remove = useMutation({
    mutationFn: () => apiPost("/key/delete", { keys: [apiKey.id] }),
    onSuccess() {
      removal.close();
      notifyDone(`${apiKey.name} is removed.`);
      return refresh();
    },
  });
  return (
    <>
      <RowMenu label={`What to do with ${apiKey.name}`}>
        <Menu.Item onClick={limits.open}>Change the limits</Menu.Item>
        <Menu.Item onClick={() => turn.mutate()}>{isOn ? "Switch it off" : "Switch it on"}</Menu.Item>
        <Menu.Item onClick={removal.open} c="var(--mantine-color-error)">
          Remove
        </Menu.Item>
      </RowMenu>
      <LimitsDialog
        opened={isLimiting}
        onClose={limits.close}
        title={`Limits of ${apiKey.name}`}
        allowed={apiKey}
        send={(values) => apiPost("/key/update", { key: apiKey.id, ...gatewayAllowed(values) })}
        onDone={() => {
          notifyDone("The limits are changed.");
          void refresh();
        }}
      />
      <ConfirmDialog
        opened={isRemoving}
        onClose={removal.close}
        title={`Remove the key ${apiKey.name}?`}
        action="Remove"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        Programs that use it are refused from the very next call on. What it has spent stays in the books.
      </ConfirmDialog>
    </>
  );
}
