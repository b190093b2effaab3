import { Button, Group, NumberInput, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import type { OrganizationStorage } from "../../../../src/contract/files/organization-storage.ts";
import { apiPut } from "../../api/client.ts";
import { FormError } from "../form-error.tsx";
import { FormModal } from "../form-modal.tsx";
import { notifyDone } from "../notify.ts";
import { useFormMutation } from "../use-form-mutation.ts";

interface StorageDialogProps {
  readonly organizationId: string;
  /** The query that shows the quota. */
  readonly queryKey: readonly unknown[];
}

/** Sets the storage quota of an organization. */
export function StorageDialog(props: StorageDialogProps) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Storage quota
      </Button>
      <FormModal opened={isOpen} onClose={dialog.close} title="Storage quota">
        {isOpen && <Fields {...props} onClose={dialog.close} />}
      </FormModal>
    </>
  );
}

function Fields({ organizationId, queryKey, onClose }: StorageDialogProps & { readonly onClose: () => void }) {
  const client = useQueryClient();
  const form = useForm({ initialValues: { quotaMb: "" as number | string } });
  const save = useFormMutation({
    form,
    send: ({ quotaMb }) =>
      apiPut<OrganizationStorage>(`/api/admin/organizations/${organizationId}/storage`, {
        quotaMb: quotaMb === "" ? null : Number(quotaMb),
      }),
    onDone() {
      notifyDone("The storage quota is saved.");
      void client.invalidateQueries({ queryKey });
      onClose();
    },
  });
  return (
    <form onSubmit={save.onSubmit} noValidate>
      <Stack>
        <NumberInput
          label="Quota in MiB"
          description="Leave empty for the default of the server."
          min={0}
          allowDecimal={false}
          data-autofocus
          {...form.getInputProps("quotaMb")}
        />
        <FormError error={save.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
