import type { Route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { readTeams } from "./read-teams.ts";
import { teamMembers } from "./team-members.ts";
import { teamSwitches } from "./team-switches.ts";
import { writeTeam } from "./write-team.ts";

export const gatewayTeamRoutes = (deps: GatewayAdminDeps): Route[] => [
  ...writeTeam(deps),
  ...readTeams(deps),
  ...teamMembers(deps),
  ...teamSwitches(deps),
];
