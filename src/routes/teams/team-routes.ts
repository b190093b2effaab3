import type { Teams } from "../../accounts/teams.ts";
import type { Route } from "../../http/route.ts";
import type { InvitationDeps } from "../invitations/invitation-deps.ts";
import { createTeam } from "./create-team.ts";
import { getTeam } from "./get-team.ts";
import { inviteMember } from "./invite-member.ts";
import { listTeamMembers } from "./list-team-members.ts";
import { listTeams } from "./list-teams.ts";
import { removeTeam } from "./remove-team.ts";
import { removeTeamMember } from "./remove-team-member.ts";
import type { TeamSpendingDeps } from "./team-record.ts";
import { updateTeam } from "./update-team.ts";
import { updateTeamMember } from "./update-team-member.ts";

interface TeamRouteDeps extends InvitationDeps, TeamSpendingDeps {
  readonly teams: Teams;
}

/** Teams and who is in them. */
export const teamRoutes = ({ teams, ...deps }: TeamRouteDeps): Route[] => [
  listTeams(teams, deps),
  createTeam(teams, deps),
  getTeam(teams, deps),
  updateTeam(teams, deps),
  removeTeam(teams),
  listTeamMembers(teams),
  updateTeamMember(teams),
  inviteMember(deps),
  removeTeamMember(teams),
];
