import { Alert, Anchor, Group, Loader, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { PurchaseRecord } from "../../../../src/contract/purchases.ts";
import { apiGet } from "../../api/client.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { Money } from "../../components/money.tsx";
import { payAddress } from "./pay-address.ts";
import { useBillingKey } from "./use-billing.ts";

const LOOK_MS = 2000;

/** How the purchase went that somebody comes back from. The provider may tell us a moment later. */
export function PurchaseNotice({ id, onClose }: { id: string; onClose: () => void }) {
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: [...useBillingKey(), "purchase", id],
    queryFn: ({ signal }) => apiGet<PurchaseRecord>(`/api/billing/purchases/${encodeURIComponent(id)}`, {}, signal),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? LOOK_MS : false),
    staleTime: 0,
  });
  const status = data?.status;
  useEffect(() => {
    // The balance, the teams and what the corner shows are other ones now.
    if (status === "paid") {
      void client.invalidateQueries({ predicate: ({ queryKey }) => !queryKey.includes("purchase") });
    }
  }, [status, client]);
  if (error && !data) return <ErrorState error={error} title="The purchase could not be read" />;
  if (!data) return null;
  const shared = { withCloseButton: true, closeButtonLabel: "Close", onClose, role: "status" } as const;
  if (data.status === "pending") {
    const address = payAddress(data.checkoutUrl);
    return (
      <Alert {...shared} color="gray" title="Waiting for the payment">
        <Group gap="sm">
          <Loader size="xs" aria-hidden />
          <Text size="sm">
            The provider has not confirmed it yet; this takes seconds as a rule.{" "}
            {address !== null && <Anchor href={address}>Go back to the payment</Anchor>}
          </Text>
        </Group>
      </Alert>
    );
  }
  if (data.status === "paid") {
    return (
      <Alert {...shared} color="pine" title="Thank you">
        <Money nano={data.amount} exact fw={600} /> was added to the balance.
      </Alert>
    );
  }
  return (
    <Alert {...shared} color="red" title={`The purchase is ${data.status}`}>
      {data.failure ?? "Nothing was charged."}
    </Alert>
  );
}
