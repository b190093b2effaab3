import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconCoin } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { exactUsd } from "../../components/format-usd.ts";
import { notifyDone } from "../../components/notify.ts";
import { parseUsd } from "../../components/parse-usd.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { type AdminOrganization, ORGANIZATIONS_KEY } from "./organization.ts";

interface GrantDialogProps {
  readonly organization: Pick<AdminOrganization, "id" | "name">;
  /** Who comes here to give credit need not look for the button. */
  readonly isOpenAtFirst: boolean;
}

/** Gives credit. However often the button is pressed, it is given once. */
export function GrantDialog({ organization, isOpenAtFirst }: GrantDialogProps) {
  const [isOpen, dialog] = useDisclosure(isOpenAtFirst);
  return (
    <>
      <Button leftSection={<IconCoin size={16} />} onClick={dialog.open}>
        Give credit
      </Button>
      <FormModal opened={isOpen} onClose={dialog.close} title={`Give ${organization.name} credit`}>
        {isOpen && <Fields organization={organization} onClose={dialog.close} />}
      </FormModal>
    </>
  );
}

function Fields({
  organization,
  onClose,
}: {
  organization: Pick<AdminOrganization, "id" | "name">;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const form = useForm({
    initialValues: { amount: "", reason: "" },
    validate: {
      amount: (text) => ((parseUsd(text) ?? 0) > 0 ? null : "An amount above 0 in USD, such as 20 or 0.5."),
      reason: (text) => (text.trim() === "" ? "Say why: it stands in the ledger." : null),
    },
  });
  const grant = useFormMutation({
    form,
    send: ({ amount, reason }) =>
      apiPost<{ amount: number; balance: number }>(`/api/admin/organizations/${organization.id}/credits`, {
        amount: parseUsd(amount),
        reason,
        idempotencyKey,
      }),
    onDone({ amount, balance }) {
      notifyDone(`${exactUsd(amount)} given; the balance is ${exactUsd(balance)}.`);
      void client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
      onClose();
    },
  });
  return (
    <form onSubmit={grant.onSubmit} noValidate>
      <Stack>
        <TextInput
          label="Amount"
          withAsterisk
          leftSection="$"
          inputMode="decimal"
          data-autofocus
          {...form.getInputProps("amount")}
        />
        <TextInput label="Reason" withAsterisk maxLength={500} {...form.getInputProps("reason")} />
        <FormError error={grant.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={grant.isPending}>
            Give
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
