import { Anchor, Button, Group, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { InvitationRecord, TeamMemberRecord, TeamRecord } from "../../../../src/contract/organizations.ts";
import { apiGet } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { FurtherBudget } from "../../components/budget-inputs.tsx";
import { currentWindow } from "../../components/budget-windows.ts";
import { Money } from "../../components/money.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { StatCard } from "../../components/stat-card.tsx";
import { isMissing, ThingFailed } from "../../components/thing-failed.tsx";
import { useMaySee, useOrganizationKey, useSignedIn } from "../../session/session.ts";
import { DeleteTeam } from "./delete-team.tsx";
import { InvitationsCard } from "./invitations-card.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LimitsText } from "./limits-text.tsx";
import { TeamDialog } from "./team-dialog.tsx";
import { TeamMembers } from "./team-members.tsx";
import { BlockedTeam } from "./team-status.tsx";

/** What is gone of the budget, and the limits beside it. */
function Spent({ team }: { team: TeamRecord }) {
  const { budget, furtherBudgets, rpmLimit, tpmLimit, parallelLimit } = team;
  return (
    <>
      {budget !== null && (
        <div>
          <Money nano={budget.spent} /> spent {currentWindow(budget.window)}
        </div>
      )}
      {furtherBudgets.map((further) => (
        <div key={`${further.window} ${further.model}`}>
          <FurtherBudget budget={further} />
        </div>
      ))}
      {(rpmLimit ?? tpmLimit ?? parallelLimit) !== null && (
        <div>
          <LimitsText of={{ budget: null, rpmLimit, tpmLimit, parallelLimit }} />
        </div>
      )}
    </>
  );
}

type TeamDetails = TeamRecord & {
  readonly members: readonly TeamMemberRecord[];
  readonly invitations: readonly InvitationRecord[];
};

const BACK = { to: "/teams", words: "All teams" };

export default function TeamPage() {
  const { teamId = "" } = useParams({ strict: false }) as { teamId?: string };
  const key = useOrganizationKey();
  const query = useQuery({
    queryKey: [...key, "teams", "one", teamId],
    queryFn: ({ signal }) => apiGet<TeamDetails>(`/api/gw/teams/${encodeURIComponent(teamId)}`, {}, signal),
  });
  if (isMissing(query)) return <ThingFailed query={query} title="Team" back={BACK} />;
  return query.data ? <Known team={query.data} /> : <Skeleton height={420} />;
}

function Known({ team }: { team: TeamDetails }) {
  const runsOrganization = useMaySee()("organization");
  const { user } = useSignedIn();
  const runsTeam = runsOrganization || team.members.some(({ userId, role }) => userId === user.id && role === "admin");
  const [isInviting, invite] = useDisclosure();
  const [isEditing, edit] = useDisclosure();
  return (
    <>
      <PageHeader
        back={BACK}
        title={team.name}
        about={team.tags.length > 0 ? `Tags: ${team.tags.join(", ")}` : undefined}
        actions={
          runsTeam && (
            <>
              <Button variant="default" onClick={edit.open}>
                Change
              </Button>
              <Button onClick={invite.open}>Invite</Button>
            </>
          )
        }
      />
      <Stack gap="lg">
        <BlockedTeam team={team} />
        <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: "sm", sm: "md" }}>
          <StatCard label="Members" value={team.membersCount} />
          <StatCard
            label="Keys"
            value={team.keysCount}
            note={
              <AppLink to="/keys" search={{ team: team.id }}>
                To the keys
              </AppLink>
            }
          />
          <StatCard label="Models" value={team.models.length === 0 ? "All" : team.models.length} />
          <StatCard
            label="Budget and limits"
            value={team.budget === null ? "No budget" : <Money nano={team.budget.limit} />}
            note={
              <>
                <Spent team={team} />
                {runsOrganization && (
                  <Anchor component="button" type="button" size="sm" onClick={edit.open}>
                    {team.budget === null ? "Set a budget" : "Change the budget"}
                  </Anchor>
                )}
              </>
            }
          />
        </SimpleGrid>
        <TeamMembers team={team} mayManage={runsTeam} maySetLimits={runsOrganization} />
        {team.invitations.length > 0 && <InvitationsCard invitations={team.invitations} />}
        {runsOrganization && (
          <Group>
            <DeleteTeam team={team} />
          </Group>
        )}
      </Stack>
      <InviteDialog opened={isInviting} onClose={invite.close} team={team} />
      {isEditing && <TeamDialog onClose={edit.close} team={team} maySetLimits={runsOrganization} />}
    </>
  );
}
