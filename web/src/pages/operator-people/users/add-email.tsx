import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { apiPatch, apiPost } from "../../../api/client.ts";
import { FormError } from "../../../components/form-error.tsx";
import { FormModal } from "../../../components/form-modal.tsx";
import { useFormMutation } from "../../../components/use-form-mutation.ts";
import type { ResetLinkMade } from "../reset-link.tsx";
import { type AdminUser, USERS_KEY } from "../user.ts";

interface AddEmailProps {
  readonly user: AdminUser;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onAdded: (link: ResetLinkMade) => void;
}

/** An email for a record without sign-in. The link to the first password is shown once. */
export const AddEmail = (props: AddEmailProps) => (
  <FormModal opened={props.opened} onClose={props.onClose} title={`Add an email for ${props.user.name}`}>
    {props.opened && <Fields {...props} />}
  </FormModal>
);

function Fields({ user, onClose, onAdded }: AddEmailProps) {
  const client = useQueryClient();
  const form = useForm({ initialValues: { email: "" } });
  const path = `/api/admin/users/${user.id}`;
  const add = useFormMutation({
    form,
    send: async ({ email }: { email: string }) => {
      await apiPatch(path, { email });
      return apiPost<ResetLinkMade>(`${path}/password-reset`);
    },
    onDone(link: ResetLinkMade) {
      void client.invalidateQueries({ queryKey: USERS_KEY });
      onClose();
      onAdded(link);
    },
  });
  return (
    <form onSubmit={add.onSubmit}>
      <Stack>
        <TextInput label="Email" type="email" required data-autofocus {...form.getInputProps("email")} />
        <Text size="sm" c="dimmed">
          The user signs in with this address. You cannot change it later.
        </Text>
        <FormError error={add.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
