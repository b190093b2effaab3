import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiPost } from "../../../api/client.ts";
import { FormError } from "../../../components/form-error.tsx";
import { FormModal } from "../../../components/form-modal.tsx";
import { useFormMutation } from "../../../components/use-form-mutation.ts";
import { ResetLink, type ResetLinkMade } from "../reset-link.tsx";
import { USERS_KEY } from "../user.ts";

interface Added {
  readonly name: string;
  readonly link: ResetLinkMade;
}

/** An account for somebody who did not sign up; the link to their first password is shown this once. */
export function AddUser() {
  const [isOpen, dialog] = useDisclosure();
  const [added, setAdded] = useState<Added | null>(null);
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
        Add somebody
      </Button>
      <FormModal opened={isOpen} onClose={dialog.close} title="Add somebody">
        {isOpen && <Fields onAdded={setAdded} onClose={dialog.close} />}
      </FormModal>
      <ResetLink link={added?.link ?? null} name={added?.name ?? ""} onClose={() => setAdded(null)} />
    </>
  );
}

async function addUser(values: { user_email: string; user_alias: string; isOperator: boolean }): Promise<Added> {
  const { user_id } = await apiPost<{ user_id: string }>("/user/new", {
    user_email: values.user_email,
    user_alias: values.user_alias.trim() === "" ? null : values.user_alias.trim(),
    user_role: values.isOperator ? "proxy_admin" : "internal_user",
    auto_create_key: false,
  });
  const link = await apiPost<ResetLinkMade>(`/api/admin/users/${user_id}/password-reset`);
  return { name: values.user_alias.trim() || values.user_email, link };
}

function Fields({ onAdded, onClose }: { onAdded: (added: Added) => void; onClose: () => void }) {
  const client = useQueryClient();
  const form = useForm({ initialValues: { user_email: "", user_alias: "", isOperator: false } });
  const add = useFormMutation({
    form,
    send: addUser,
    onDone(added) {
      void client.invalidateQueries({ queryKey: USERS_KEY });
      onClose();
      onAdded(added);
    },
  });
  return (
    <form onSubmit={add.onSubmit}>
      <Stack>
        <TextInput label="E-mail" type="email" required data-autofocus {...form.getInputProps("user_email")} />
        <TextInput label="Name" maxLength={100} {...form.getInputProps("user_alias")} />
        <Checkbox
          label="Runs this installation"
          description="Operators see and change everything."
          {...form.getInputProps("isOperator", { type: "checkbox" })}
        />
        <Text size="sm" c="dimmed">
          They get no organization of their own. Owners add them to theirs by inviting their address.
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
