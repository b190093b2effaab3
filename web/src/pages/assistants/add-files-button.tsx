import { Button, MultiSelect, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { formatBytes } from "../../components/format-bytes.ts";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import { keyOf } from "./keys.ts";
import type { StoredFile } from "./records.ts";

interface AddFilesButtonProps {
  readonly api: KeyApi;
  /** The store's. */
  readonly path: string;
  readonly onAdded: () => Promise<unknown>;
}

const CHOICE = 100;

/** Puts files in that the team has uploaded before. */
export function AddFilesButton({ api, path, onAdded }: AddFilesButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string[]>([]);
  const add = useMutation({
    mutationFn: (file_ids: readonly string[]) => api.post(`${path}/file_batches`, { file_ids }),
    meta: { showsError: true },
    async onSuccess() {
      setOpen(false);
      setChosen([]);
      await onAdded();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen.length > 0) add.mutate(chosen);
  };
  return (
    <>
      <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setOpen(true)}>
        Add existing
      </Button>
      <FormDialog
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="Add files that are uploaded already"
        action="Add"
        onSubmit={submit}
        error={add.error}
        isPending={add.isPending}
      >
        <Choice api={api} chosen={chosen} onChange={setChosen} />
      </FormDialog>
    </>
  );
}

interface ChoiceProps {
  readonly api: KeyApi;
  readonly chosen: string[];
  readonly onChange: (ids: string[]) => void;
}

function Choice({ api, chosen, onChange }: ChoiceProps) {
  const files = useCursorQuery<StoredFile>(api, {
    key: keyOf(api, "files"),
    path: "/v1/files",
    query: { purpose: "assistants", limit: CHOICE },
  });
  return (
    <>
      <MultiSelect
        label="Files"
        description={`The newest ${CHOICE} that were uploaded for assistants.`}
        placeholder={chosen.length === 0 ? "Choose files" : ""}
        data={(files.rows ?? []).map(({ id, filename, bytes }) => ({
          value: id,
          label: `${filename} (${formatBytes(bytes)})`,
        }))}
        value={chosen}
        onChange={onChange}
        searchable
        hidePickedOptions
        data-autofocus
      />
      {files.rows?.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing has been uploaded yet: close this and upload files.
        </Text>
      )}
    </>
  );
}
