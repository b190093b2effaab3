import { Button, Group, Stack, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { AutoTopUpRecord } from "../../../../src/contract/purchases.ts";
import { apiPut } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { notifyDone } from "../../components/notify.ts";
import { parseUsd, plainUsd } from "../../components/parse-usd.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useBillingKey } from "./use-billing.ts";

const amount = (text: string): string | null => (parseUsd(text) === null ? "An amount in USD, such as 25" : null);

export function TopUpForm({ topUp }: { topUp: AutoTopUpRecord }) {
  const client = useQueryClient();
  const key = useBillingKey();
  const form = useForm({
    initialValues: {
      enabled: topUp.enabled,
      threshold: plainUsd(topUp.threshold || 10_000_000_000),
      amount: plainUsd(topUp.amount || 25_000_000_000),
      monthlyCap: topUp.monthlyCap === null ? "" : plainUsd(topUp.monthlyCap),
    },
    validate: {
      threshold: amount,
      amount,
      monthlyCap: (text) => (text.trim() === "" ? null : amount(text)),
    },
  });
  const save = useFormMutation({
    form,
    send: (values) =>
      apiPut<AutoTopUpRecord>("/api/billing/auto-top-up", {
        enabled: values.enabled,
        threshold: parseUsd(values.threshold),
        amount: parseUsd(values.amount),
        monthlyCap: values.monthlyCap.trim() === "" ? null : parseUsd(values.monthlyCap),
      }),
    onDone(saved) {
      client.setQueryData([...key, "top-up"], saved);
      notifyDone(saved.enabled ? "The balance is topped up by itself from now on." : "Automatic top-up is off.");
    },
  });
  return (
    <form onSubmit={save.onSubmit}>
      <Stack>
        <Switch label="Top up by itself" {...form.getInputProps("enabled", { type: "checkbox" })} />
        <TextInput label="When the balance is below, in USD" inputMode="decimal" {...form.getInputProps("threshold")} />
        <TextInput label="Buy, in USD" inputMode="decimal" {...form.getInputProps("amount")} />
        <TextInput
          label="At most in a month, in USD"
          description="Empty for no limit."
          inputMode="decimal"
          {...form.getInputProps("monthlyCap")}
        />
        <FormError error={save.error} />
        <Group>
          <Button type="submit" variant="default" loading={save.isPending}>
            Save the top-up
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
