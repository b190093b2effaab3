import { Button, Card, Group, Skeleton, Stack, TagsInput, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AlertsRecord } from "../../../../src/contract/purchases.ts";
import { apiGet, apiPut } from "../../api/client.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { FormError } from "../../components/form-error.tsx";
import { notifyDone } from "../../components/notify.ts";
import { parseUsd, plainUsd } from "../../components/parse-usd.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useBillingKey } from "./use-billing.ts";

/** When the organization is told of its credit and of its budgets. */
export function AlertsCard() {
  const { data, error, refetch } = useQuery({
    queryKey: [...useBillingKey(), "alerts"],
    queryFn: ({ signal }) => apiGet<AlertsRecord>("/api/billing/alerts", {}, signal),
  });
  return (
    <Card component="section" aria-label="Alerts">
      <Title order={2}>Alerts</Title>
      <Text c="dimmed" size="sm" mb="md">
        By mail to the billing address of the organization, and to its webhooks. That nothing is left is always told.
      </Text>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Form alerts={data} />
      ) : (
        <Skeleton height={210} />
      )}
    </Card>
  );
}

const isPercent = (text: string): boolean => /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 100;

function Form({ alerts }: { alerts: AlertsRecord }) {
  const client = useQueryClient();
  const key = useBillingKey();
  const form = useForm({
    initialValues: {
      thresholds: alerts.thresholds.map(({ threshold }) => plainUsd(threshold)),
      budgetPercents: alerts.budgetPercents.map(String),
    },
    validate: {
      thresholds: (list) => (list.every((text) => (parseUsd(text) ?? 0) > 0) ? null : "Amounts in USD above zero"),
      budgetPercents: (list) => (list.every(isPercent) ? null : "Whole numbers from 1 to 100"),
    },
  });
  const save = useFormMutation({
    form,
    send: ({ thresholds, budgetPercents }) =>
      apiPut<AlertsRecord>("/api/billing/alerts", {
        thresholds: thresholds.map((text) => parseUsd(text) ?? 0),
        budgetPercents: budgetPercents.map(Number),
      }),
    onDone(saved) {
      client.setQueryData([...key, "alerts"], saved);
      notifyDone("The alerts are saved.");
    },
  });
  return (
    <form onSubmit={save.onSubmit}>
      <Stack>
        <TagsInput
          label="When the balance falls below, in USD"
          description="Type an amount and press Enter; up to ten."
          maxTags={10}
          {...form.getInputProps("thresholds")}
        />
        <TagsInput
          label="When so much of a budget is spent, in percent"
          maxTags={10}
          {...form.getInputProps("budgetPercents")}
        />
        <FormError error={save.error} />
        <Group>
          <Button type="submit" variant="default" loading={save.isPending}>
            Save the alerts
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
