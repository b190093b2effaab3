import { Button, Group, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiPost } from "../../api/client.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { parseUsd } from "../../components/parse-usd.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { VOUCHERS_KEY } from "./vouchers-key.ts";

interface Made {
  readonly data: readonly { readonly code: string }[];
}

/** Makes vouchers, and shows their codes this once. */
export function VoucherForm({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = (): void => {
    setCodes(null);
    onClose();
  };
  return (
    <FormModal opened={opened} onClose={close} title={codes === null ? "Make vouchers" : "Their codes"}>
      {opened && codes === null && <Fields onMade={setCodes} onClose={close} />}
      {codes !== null && (
        <Stack>
          <Text size="sm">They are shown this once: only their hashes are kept. Copy them now.</Text>
          <CodeBlock code={codes.join("\n")} label="Copy the codes" />
          <Group justify="flex-end">
            <Button onClick={close}>I have kept them</Button>
          </Group>
        </Stack>
      )}
    </FormModal>
  );
}

const dayFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

function Fields({ onMade, onClose }: { onMade: (codes: readonly string[]) => void; onClose: () => void }) {
  const client = useQueryClient();
  const form = useForm<{ amount: string; count: number | string; days: number | string; note: string }>({
    initialValues: { amount: "", count: 1, days: "", note: "" },
    validate: { amount: (text) => ((parseUsd(text) ?? 0) > 0 ? null : "An amount above 0 in USD, such as 20 or 0.5.") },
  });
  const make = useFormMutation({
    form,
    send: ({ amount, count, days, note }) =>
      apiPost<Made>("/api/admin/vouchers", {
        amount: parseUsd(amount),
        count: Number(count) || 1,
        ...(days === "" ? {} : { expiresAt: dayFromNow(Number(days)) }),
        ...(note.trim() === "" ? {} : { note: note.trim() }),
      }),
    onDone({ data }) {
      onMade(data.map(({ code }) => code));
      void client.invalidateQueries({ queryKey: VOUCHERS_KEY });
    },
  });
  return (
    <form onSubmit={make.onSubmit} noValidate>
      <Stack>
        <TextInput
          label="Amount of each"
          leftSection="$"
          inputMode="decimal"
          data-autofocus
          {...form.getInputProps("amount")}
        />
        <NumberInput label="How many" min={1} max={1000} {...form.getInputProps("count")} />
        <NumberInput
          label="Good for so many days"
          placeholder="For ever"
          min={1}
          max={3650}
          {...form.getInputProps("days")}
        />
        <TextInput label="Note" description="For operators alone." maxLength={200} {...form.getInputProps("note")} />
        <FormError error={make.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Make them
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
