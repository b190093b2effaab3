import { Card } from "@mantine/core";
import { IconBuilding } from "@tabler/icons-react";
import { EmptyState } from "../components/empty-state.tsx";
import { NewOrganization } from "../components/new-organization.tsx";

/** For who has an account and belongs nowhere: the admin of an installation without a demo, or somebody who has left. */
const NoOrganization = () => (
  <Card>
    <EmptyState
      icon={IconBuilding}
      title="You are in no organization yet"
      action={<NewOrganization variant="filled" />}
    >
      Keys, teams, credit and usage belong to organizations. Make one of your own, or have somebody invite you to
      theirs.
    </EmptyState>
  </Card>
);

export default NoOrganization;
