import { ActionIcon, Menu } from "@mantine/core";
import {
  IconDots,
  IconDownload,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTrash,
} from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ApiKeyRecord } from "../../../../src/contract/keys.ts";
import { apiPost } from "../../api/client.ts";
import { notifyDone } from "../../components/notify.ts";
import { useOrganizationKey } from "../../session/session.ts";

export type KeyAction = "change" | "rotate" | "pick-up" | "remove";

interface KeyMenuProps {
  readonly subject: ApiKeyRecord;
  readonly onAction: (action: KeyAction) => void;
}

/** What can be done with a key. Switching it off and on needs no question: it can be undone. */
export function KeyMenu({ subject, onAction }: KeyMenuProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const isOff = subject.status === "disabled";
  const change = useMutation({
    mutationFn: () => apiPost(`/api/gw/api-keys/${subject.id}/${isOff ? "enable" : "disable"}`),
    onSuccess() {
      notifyDone(isOff ? "The key is on again." : "The key is off: its next call is refused.");
      return client.invalidateQueries({ queryKey: [...key, "keys"] });
    },
  });
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          loading={change.isPending}
          aria-label={`What to do with ${subject.name}`}
          onClick={(event) => event.stopPropagation()}
        >
          <IconDots size={18} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown onClick={(event) => event.stopPropagation()}>
        {subject.newValueSince !== null && (
          <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => onAction("pick-up")}>
            Pick up the new value
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onAction("change")}>
          Change limits
        </Menu.Item>
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => onAction("rotate")}>
          Rotate
        </Menu.Item>
        <Menu.Item
          leftSection={isOff ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
          onClick={() => change.mutate()}
        >
          {isOff ? "Switch on" : "Switch off"}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} />}
          onClick={() => onAction("remove")}
        >
          Remove
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
