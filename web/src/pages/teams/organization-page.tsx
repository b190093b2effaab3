import { Skeleton, Stack } from "@mantine/core";
import { NewOrganization } from "../../components/new-organization.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { StorageCard } from "../../components/storage/storage-card.tsx";
import { useOrganization, useOrganizationKey } from "../../session/session.ts";
import { OrganizationForm } from "./organization-form.tsx";

export default function OrganizationPage() {
  const organization = useOrganization();
  const key = useOrganizationKey();
  return (
    <>
      <PageHeader
        title="Organization"
        about="Its name, where its bills go, how long its logs are kept."
        actions={<NewOrganization />}
      />
      <Stack maw={760}>
        {organization ? (
          <>
            <StorageCard path={`/api/gw/organizations/${organization.id}/storage`} queryKey={[...key, "storage"]} />
            <OrganizationForm key={organization.id} organization={organization} />
          </>
        ) : (
          <Skeleton height={520} />
        )}
      </Stack>
    </>
  );
}
