import { Button, Group, Modal, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKeyRecord, FreshKeyRecord } from "../../../../src/contract/keys.ts";
import { apiPost } from "../../api/client.ts";
import { useOrganizationKey } from "../../session/session.ts";

const GRACES = [
  { value: "0", label: "ends at once" },
  { value: "3600", label: "works for an hour" },
  { value: "86400", label: "works for a day" },
  { value: "604800", label: "works for a week" },
];

interface RotateDialogProps {
  readonly subject: ApiKeyRecord | null;
  readonly onClose: () => void;
  readonly onDone: (key: FreshKeyRecord) => void;
}

/** A new value for the same key: limits, name and figures stay. */
export function RotateDialog({ subject, onClose, onDone }: RotateDialogProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const [grace, setGrace] = useState("86400");
  const rotate = useMutation({
    mutationFn: (id: string) =>
      apiPost<FreshKeyRecord>(`/api/gw/api-keys/${id}/rotate`, { graceSeconds: Number(grace) }),
    onSuccess(shown) {
      void client.invalidateQueries({ queryKey: [...key, "keys"] });
      onClose();
      onDone(shown);
    },
  });
  return (
    <Modal
      opened={subject !== null}
      onClose={onClose}
      title={<span className="wraps">Rotate {subject?.name}</span>}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <Text>The key gets a new value, shown once. Its name, limits and figures stay.</Text>
        <Select
          label="The value that it has now"
          data={GRACES}
          value={grace}
          onChange={(value) => setGrace(value ?? "0")}
          allowDeselect={false}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={rotate.isPending} onClick={() => subject && rotate.mutate(subject.id)}>
            Rotate
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
