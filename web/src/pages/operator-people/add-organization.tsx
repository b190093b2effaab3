import { Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { ORGANIZATIONS_KEY } from "./organization.ts";

/** An organization that the operator owns at first. */
export function AddOrganization() {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
        Make an organization
      </Button>
      <FormModal opened={isOpen} onClose={dialog.close} title="Make an organization">
        {isOpen && <Fields onClose={dialog.close} />}
      </FormModal>
    </>
  );
}

function Fields({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({ initialValues: { organization_alias: "", billing: "prepaid" } });
  const make = useFormMutation({
    form,
    send: (values) => apiPost<{ organization_id: string }>("/organization/new", values),
    onDone({ organization_id }) {
      notifyDone("The organization is made.");
      void client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
      void navigate({ to: `/operator/organizations/${organization_id}` as never });
    },
  });
  return (
    <form onSubmit={make.onSubmit}>
      <Stack>
        <TextInput label="Name" required maxLength={100} data-autofocus {...form.getInputProps("organization_alias")} />
        <Select
          label="Pays"
          data={[
            { value: "prepaid", label: "in advance" },
            { value: "invoiced", label: "on invoice" },
          ]}
          allowDeselect={false}
          {...form.getInputProps("billing")}
        />
        <FormError error={make.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Make it
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
