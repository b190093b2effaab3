import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { PasskeyRecord } from "../../../../src/contract/passkeys.ts";
import { apiPatch } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { PASSKEYS_KEY } from "./passkey-dialog.tsx";

interface PasskeyRenameProps {
  readonly passkey: PasskeyRecord;
  readonly onClose: () => void;
}

export function PasskeyRename({ passkey, onClose }: PasskeyRenameProps) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { name: passkey.name },
    validate: { name: (text) => (text.trim() === "" ? "It needs a name." : null) },
  });
  const rename = useFormMutation({
    form,
    send: (values) => apiPatch(`/api/auth/passkeys/${passkey.id}`, values),
    onDone() {
      void client.invalidateQueries({ queryKey: PASSKEYS_KEY });
      onClose();
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Rename the passkey"
      action="Save"
      onSubmit={rename.onSubmit}
      error={rename.error}
      isPending={rename.isPending}
    >
      <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
    </FormDialog>
  );
}
