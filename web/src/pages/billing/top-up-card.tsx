import { Alert, Button, Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { AutoTopUpRecord } from "../../../../src/contract/purchases.ts";
import { apiDelete, apiGet, apiPost } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { notifyDone } from "../../components/notify.ts";
import { Time } from "../../components/time.tsx";
import { TopUpForm } from "./top-up-form.tsx";
import { useBillingKey } from "./use-billing.ts";

/** The balance is topped up by itself, with a saved means of payment. */
export function TopUpCard() {
  const { data, error, refetch } = useQuery({
    queryKey: [...useBillingKey(), "top-up"],
    queryFn: ({ signal }) => apiGet<AutoTopUpRecord>("/api/billing/auto-top-up", {}, signal),
  });
  return (
    <Card component="section" aria-label="Automatic top-up">
      <Title order={2}>Automatic top-up</Title>
      <Text c="dimmed" size="sm" mb="md">
        Buys credit when the balance is low, so that nobody is blocked.
      </Text>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Stack>
          <Method topUp={data} />
          {data.declines > 0 && (
            <Alert
              color="yellow"
              title={`Declined ${data.declines === 1 ? "once" : `${data.declines} times in a row`}`}
            >
              {data.retryAt !== null ? (
                <>
                  The next attempt is at <Time at={data.retryAt} />.
                </>
              ) : (
                "It was switched off. Save another card and switch it on again."
              )}
            </Alert>
          )}
          {data.paymentMethod !== null && <TopUpForm topUp={data} />}
        </Stack>
      ) : (
        <Skeleton height={210} />
      )}
    </Card>
  );
}

function Method({ topUp: { paymentMethod } }: { topUp: AutoTopUpRecord }) {
  const client = useQueryClient();
  const key = useBillingKey();
  const [isAsking, setAsking] = useState(false);
  const setUp = useMutation({
    mutationFn: () => apiPost<{ setupUrl: string }>("/api/billing/payment-method"),
    onSuccess: ({ setupUrl }) => window.location.assign(setupUrl),
  });
  const forget = useMutation({
    mutationFn: () => apiDelete("/api/billing/payment-method"),
    onSuccess() {
      setAsking(false);
      notifyDone("The card is forgotten; nothing is topped up by itself any more.");
      return client.invalidateQueries({ queryKey: key });
    },
  });
  if (paymentMethod === null) {
    return (
      <Group>
        <Text size="sm">It needs a saved card.</Text>
        <Button variant="default" loading={setUp.isPending || setUp.isSuccess} onClick={() => setUp.mutate()}>
          Save a card
        </Button>
      </Group>
    );
  }
  return (
    <Group justify="space-between">
      <Text size="sm" className="wraps">
        Paid with <b>{paymentMethod.label}</b>
      </Text>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        Forget the card
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Forget the card?"
        action="Forget"
        isPending={forget.isPending}
        onConfirm={() => forget.mutate()}
      >
        Nothing is topped up by itself any more. Calls are refused when the balance is used up.
      </ConfirmDialog>
    </Group>
  );
}
