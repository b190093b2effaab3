import { Skeleton, Stack } from "@mantine/core";
import { NewOrganization } from "../../components/new-organization.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useOrganization } from "../../session/session.ts";
import { OrganizationForm } from "./organization-form.tsx";

export default function OrganizationPage() {
  const organization = useOrganization();
  return (
    <>
      <PageHeader
        title="Organization"
        about="Its name, where its bills go, how long its logs are kept."
        actions={<NewOrganization />}
      />
      <Stack maw={760}>
        {organization ? (
          <OrganizationForm key={organization.id} organization={organization} />
        ) : (
          <Skeleton height={520} />
        )}
      </Stack>
    </>
  );
}
