import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { TeamRecord } from "../../../../src/contract/organizations.ts";
import { apiPost } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useOrganizationKey } from "../../session/session.ts";

export function NewTeamDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const navigate = useNavigate();
  const form = useForm({ initialValues: { name: "" } });
  const create = useFormMutation({
    form,
    send: (values) => apiPost<TeamRecord>("/api/gw/teams", values),
    async onDone({ id }) {
      form.reset();
      onClose();
      notifyDone("The team is made.");
      void client.invalidateQueries({ queryKey: [...key, "teams"] });
      await navigate({ to: `/teams/${id}` as never });
    },
  });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title="New team"
      action="Make the team"
      onSubmit={create.onSubmit}
      error={create.error}
      isPending={create.isPending}
    >
      <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
    </FormDialog>
  );
}
