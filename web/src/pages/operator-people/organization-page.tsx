import { Group, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { apiGet } from "../../api/client.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { Money } from "../../components/money.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { StatCard } from "../../components/stat-card.tsx";
import { StorageCard } from "../../components/storage/storage-card.tsx";
import { StorageDialog } from "../../components/storage/storage-dialog.tsx";
import { isMissing, ThingFailed } from "../../components/thing-failed.tsx";
import { GrantDialog } from "./grant-dialog.tsx";
import { type AdminOrganization, ORGANIZATIONS_KEY } from "./organization.ts";
import { OrganizationSettings } from "./organization-settings.tsx";
import { StatusBadge } from "./status-badge.tsx";

const BACK = { to: "/operator/organizations", words: "Organizations" };

export default function OrganizationPage() {
  const { organizationId = "" } = useParams({ strict: false }) as { organizationId?: string };
  const query = useQuery({
    queryKey: [...ORGANIZATIONS_KEY, "one", organizationId],
    queryFn: ({ signal }) => apiGet<AdminOrganization>(`/api/admin/organizations/${organizationId}`, {}, signal),
  });
  const organization = query.data;
  const storageKey = [...ORGANIZATIONS_KEY, "storage", organizationId];
  const { give } = useSearch({ strict: false }) as { give?: string };
  if (isMissing(query)) return <ThingFailed query={query} title="Organization" back={BACK} />;
  return (
    <>
      <PageHeader
        back={BACK}
        title={
          <Group gap="sm" component="span">
            {organization?.name ?? "Organization"}
            {organization && <StatusBadge status={organization.status} />}
          </Group>
        }
        tab={organization?.name ?? "Organization"}
        about={organization?.id}
        actions={organization && <GrantDialog organization={organization} isOpenAtFirst={give === "credit"} />}
      />
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <StatCard label="Balance" value={organization && <Money nano={organization.quota.balance} />} />
          <StatCard label="Set aside for calls" value={organization && <Money nano={organization.quota.held} />} />
          <StatCard label="Available" value={organization && <Money nano={organization.quota.available} />} />
        </SimpleGrid>
        <StorageCard path={`/api/admin/organizations/${organizationId}/storage`} queryKey={storageKey} />
        <Group>
          <StorageDialog organizationId={organizationId} queryKey={storageKey} />
          <ButtonLink variant="default" to="/operator/teams" search={{ organizationId }}>
            Teams
          </ButtonLink>
          <ButtonLink variant="default" to="/operator/keys" search={{ organizationId }}>
            Keys
          </ButtonLink>
          <ButtonLink variant="default" to="/operator/audit" search={{ organizationId }}>
            Audit log
          </ButtonLink>
        </Group>
        {organization ? <OrganizationSettings organization={organization} /> : <Skeleton height={320} />}
      </Stack>
    </>
  );
}
