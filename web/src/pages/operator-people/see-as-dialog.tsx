import { Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { apiPost } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import type { AdminUser } from "./user.ts";

interface SeeAsDialogProps {
  readonly user: AdminUser;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks why an operator wants to see the pages as a user, and goes there. */
export function SeeAsDialog({ user, opened, onClose }: SeeAsDialogProps) {
  const form = useForm({
    initialValues: { reason: "" },
    validate: { reason: (text) => (text.trim() === "" ? "Say why: it stands in the audit log." : null) },
  });
  const begin = useFormMutation({
    form,
    send: (values) => apiPost(`/api/admin/users/${user.id}/impersonate`, values),
    // A new start: nothing of the operator may stay on the screen.
    onDone: () => window.location.assign("/ui"),
  });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={`See the pages as ${user.name}`}
      action="See as this user"
      onSubmit={begin.onSubmit}
      error={begin.error}
      isPending={begin.isPending || begin.isSuccess}
    >
      <Text size="sm">
        For half an hour, or until you stop. You can look at everything that they see and change none of it. They see it
        among their sessions, and their organizations in the audit log.
      </Text>
      <TextInput label="Reason" maxLength={500} data-autofocus {...form.getInputProps("reason")} />
    </FormDialog>
  );
}
