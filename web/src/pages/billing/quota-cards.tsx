import { SimpleGrid } from "@mantine/core";
import { ErrorState } from "../../components/error-state.tsx";
import { Money } from "../../components/money.tsx";
import { StatCard } from "../../components/stat-card.tsx";
import { useOrganization } from "../../session/session.ts";
import { type Quota, useQuota } from "./use-billing.ts";

export function QuotaCards() {
  const { data, error, refetch } = useQuota();
  const isInvoiced = useOrganization()?.billing === "invoiced";
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const money = (nano: number | undefined) => (nano === undefined ? undefined : <Money nano={nano} />);
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }}>
      <StatCard
        label="Balance"
        value={money(data?.balance)}
        note={data && <Held {...data} isInvoiced={isInvoiced} />}
      />
      <StatCard label="Bought" value={money(data?.purchased)} note="since the beginning" />
      <StatCard label="Granted" value={money(data?.granted)} note="grants and vouchers" />
      <StatCard label="Used" value={money(data?.used)} note="since the beginning" />
    </SimpleGrid>
  );
}

const Held = ({ balance, held, isInvoiced }: Quota & { isInvoiced: boolean }) =>
  held > 0 ? (
    <>
      <Money nano={held} /> set aside for calls
    </>
  ) : isInvoiced ? (
    "calls are invoiced"
  ) : balance > 0 ? (
    "all of it can be used"
  ) : (
    "nothing is left"
  );
