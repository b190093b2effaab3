import type { Teams } from "../../accounts/teams.ts";
import type { Route } from "../../http/route.ts";
import { createTeam } from "./create-team.ts";
import { getTeam } from "./get-team.ts";
import { inviteMember } from "./invite-member.ts";
import { listTeamMembers } from "./list-team-members.ts";
import { listTeams } from "./list-teams.ts";
import { removeTeam } from "./remove-team.ts";
import { removeTeamMember } from "./remove-team-member.ts";
import { updateTeam } from "./update-team.ts";

/** Teams and who is in them. */
export const teamRoutes = ({ teams }: { readonly teams: Teams }): Route[] => [
  listTeams(teams),
  createTeam(teams),
  getTeam(teams),
  updateTeam(teams),
  removeTeam(teams),
  listTeamMembers(teams),
  inviteMember(teams),
  removeTeamMember(teams),
];
