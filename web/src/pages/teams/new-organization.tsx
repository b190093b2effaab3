import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import type { OrganizationRecord } from "../../../../src/contract/organizations.ts";
import { apiPost } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useSwitchOrganization } from "../../session/session.ts";

/** Another organization of one's own, which one then works in. */
export function NewOrganization() {
  const [isOpen, dialog] = useDisclosure();
  const change = useSwitchOrganization();
  const form = useForm({ initialValues: { name: "" } });
  const create = useFormMutation({
    form,
    send: (values) => apiPost<OrganizationRecord>("/api/gw/organizations", values),
    onDone({ id }) {
      form.reset();
      dialog.close();
      notifyDone("The organization is made; you work in it now.");
      change.mutate(id);
    },
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        New organization
      </Button>
      <FormDialog
        opened={isOpen}
        onClose={dialog.close}
        title="New organization"
        action="Make it"
        onSubmit={create.onSubmit}
        error={create.error}
        isPending={create.isPending}
      >
        <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("name")} />
      </FormDialog>
    </>
  );
}
