import type { Route } from "../../http/route.ts";
import type { GatewayAdminDeps } from "./admin-deps.ts";
import { gatewayBudgetRoutes } from "./budgets/budget-routes.ts";
import { customerRoutes } from "./customers/customer-routes.ts";
import { gatewayKeyRoutes } from "./keys/key-routes.ts";
import { gatewayOrganizationRoutes } from "./organizations/organization-routes.ts";
import { gatewayTeamRoutes } from "./teams/team-routes.ts";
import { readUsers } from "./users/read-users.ts";
import { writeUser } from "./users/write-user.ts";
import { inWireNames } from "./wire-names.ts";

/** The operations that gateway users script against, over the services that the platform's own API is made of. */
export const gatewayAdminRoutes = (deps: GatewayAdminDeps): Route[] =>
  [
    ...gatewayKeyRoutes(deps),
    ...gatewayTeamRoutes(deps),
    ...gatewayOrganizationRoutes(deps),
    ...writeUser(deps),
    ...readUsers(deps),
    ...gatewayBudgetRoutes(deps),
    ...customerRoutes(deps),
  ].map(inWireNames);
