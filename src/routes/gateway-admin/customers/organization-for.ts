import { activeOrganization } from "../../../accounts/access.ts";
import type { Authority } from "../../../accounts/authority.ts";
import type { ActorWithRights } from "../../../accounts/change.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";

type Named = string | null | undefined;

/** The one that is named; else the operator's own, which is made where there is none yet, or a person's. */
export async function organizationToAddTo(
  deps: GatewayAdminDeps,
  actor: ActorWithRights,
  named: Named,
): Promise<string> {
  return actor.caller.kind === "operator" && named == null
    ? (await deps.operator.defaultTeam(actor)).organizationId
    : inRights(deps, actor.caller, named);
}

/** The same where somebody is there already: nothing is made. */
export async function organizationOf(deps: GatewayAdminDeps, caller: Authority, named: Named): Promise<string> {
  if (caller.kind !== "operator" || named != null) return inRights(deps, caller, named);
  const own = await deps.operator.own();
  if (own) return own.id;
  throw new GatewayError("not_found", "There is no end user yet: none was made for the operator's own organization.");
}

const inRights = async ({ stores }: GatewayAdminDeps, caller: Authority, named: Named): Promise<string> =>
  (await activeOrganization(stores, caller, named ?? null, "admin")).organization.id;
