import { Button, Card, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { exactUsd } from "../../components/format-usd.ts";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";

export function VoucherCard() {
  const client = useQueryClient();
  const form = useForm({ initialValues: { code: "" } });
  const redeem = useFormMutation({
    form,
    send: ({ code }) => apiPost<{ amount: number }>("/api/billing/vouchers/redeem", { code: code.trim() }),
    onDone({ amount }) {
      form.reset();
      notifyDone(`${exactUsd(amount)} was added to the balance.`);
      void client.invalidateQueries();
    },
  });
  return (
    <Card component="section" aria-label="Redeem a voucher">
      <Title order={2}>Redeem a voucher</Title>
      <Text c="dimmed" size="sm" mb="md">
        A code works once, for one organization.
      </Text>
      <form onSubmit={redeem.onSubmit}>
        <Stack>
          <TextInput
            label="Code"
            required
            maxLength={100}
            autoComplete="off"
            maw={320}
            {...form.getInputProps("code")}
          />
          <FormError error={redeem.error} />
          <Group>
            <Button type="submit" variant="default" loading={redeem.isPending}>
              Redeem
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
