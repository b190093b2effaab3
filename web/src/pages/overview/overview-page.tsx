import { SimpleGrid } from "@mantine/core";
import { Money } from "../../components/money.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { StatCard } from "../../components/stat-card.tsx";
import { useOrganization } from "../../session/session.ts";

export default function OverviewPage() {
  const organization = useOrganization();
  return (
    <>
      <PageHeader title="Overview" about={organization?.name} />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <StatCard label="Balance" value={organization && <Money nano={organization.quota.balance} />} />
        <StatCard label="Held for running calls" value={organization && <Money nano={organization.quota.held} />} />
        <StatCard label="Available" value={organization && <Money nano={organization.quota.available} />} />
      </SimpleGrid>
    </>
  );
}
