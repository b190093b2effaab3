import { Button, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import type { OrganizationRecord } from "../../../src/contract/organizations.ts";
import { apiPost } from "../api/client.ts";
import { useSwitchOrganization } from "../session/session.ts";
import { FormDialog } from "./form-dialog.tsx";
import { notifyDone } from "./notify.ts";
import { useFormMutation } from "./use-form-mutation.ts";

/** Another organization of one's own, which one then works in. */
export function NewOrganization({ variant = "default" }: { readonly variant?: "default" | "filled" }) {
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
      <Button variant={variant} onClick={dialog.open}>
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
