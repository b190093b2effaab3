import { Alert, Badge } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import type { TeamRecord } from "../../../../src/contract/organizations.ts";
import { AppLink } from "../../components/app-link.tsx";

export const TeamBadge = ({ team }: { team: TeamRecord }) => (
  <Badge variant="light" color={team.blocked ? "red" : "pine"} tt="none">
    {team.blocked ? "blocked" : "active"}
  </Badge>
);

/** Why the team's calls are refused, and what to do about it. */
export function BlockedTeam({ team }: { team: TeamRecord }) {
  if (!team.blocked) return null;
  return (
    <Alert color="red" icon={<IconLock size={18} />} title="This team is blocked" role="status">
      {team.blockedReason === "balance" ? (
        <>
          The organization's balance is below zero. <AppLink to="/billing">Buy credits</AppLink>, and its calls work
          again at once.
        </>
      ) : (
        "An administrator of this installation has blocked it. Ask them why."
      )}
    </Alert>
  );
}
