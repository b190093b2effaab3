import { type UsageAccess, usageAccess } from "../../accounts/usage-access.ts";
import type { SessionCaller } from "../../contract/caller.ts";
import { GatewayError } from "../../contract/errors.ts";
import { toUserId } from "../../contract/organizations.ts";
import type { LogFilterQuery, OrganizationQuery } from "../../contract/usage-query.ts";
import type { UsageScope } from "../../usage/store.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import type { UsageRouteDeps } from "./usage-deps.ts";

/** Whose calls a request is about, and the time zone that its dates are of. */
export interface Whose {
  readonly scope: UsageScope;
  readonly timezone: string;
}

/** The part of a query that names keys, teams and people. */
export type OwnerQuery = Pick<
  LogFilterQuery,
  "apiKey" | "api_key" | "apiKeyId" | "keyId" | "teamId" | "team_id" | "userId" | "user_id"
>;

/** What the caller may see of their organization. What is another's is 404, as if it did not exist. */
export async function ownCalls(
  deps: UsageRouteDeps,
  caller: SessionCaller,
  request: Request,
  query: OwnerQuery,
): Promise<Whose> {
  const access = await usageAccess(deps.stores, caller, namedOrganization(request));
  const whole = scopeOf(access);
  const { key, teamId, userId } = named(query);
  return {
    timezone: access.organization.timezone,
    scope: {
      ...whole,
      ...(teamId === undefined ? {} : { teamIds: [await seenTeam(deps, access, whole, teamId)] }),
      ...(key === undefined ? {} : { keyId: await seenKey(deps, access, whole, key) }),
      ...(userId === undefined ? {} : { userId: await seenUser(deps, access, whole, userId) }),
    },
  };
}

/** Everybody's calls, or those of what is named. */
export async function allCalls(deps: UsageRouteDeps, query: OwnerQuery & OrganizationQuery): Promise<Whose> {
  const { key, teamId, userId } = named(query);
  const organizationId = query.organizationId ?? query.organization_id;
  const keyId = key === undefined ? undefined : ((await deps.keys.locate(key))?.key.id ?? key);
  return {
    timezone: "UTC",
    scope: {
      ...(organizationId === undefined ? {} : { organizationId }),
      ...(teamId === undefined ? {} : { teamIds: [teamId] }),
      ...(keyId === undefined ? {} : { keyId }),
      ...(userId === undefined ? {} : { userId: toUserId(userId) }),
    },
  };
}

/** Of a call that is named: whatever else narrows what is asked for, one that the caller may not see is not there. */
export async function requireNamedCall(
  { usage }: UsageRouteDeps,
  { scope }: Whose,
  query: LogFilterQuery,
): Promise<void> {
  const id = query.requestId || query.request_id;
  if (!id || (await usage.count({ ...scope, id })) > 0) return;
  throw new GatewayError("not_found", "There is no such call.");
}

export const scopeOf = ({ organization, teamIds }: UsageAccess): UsageScope => ({
  organizationId: organization.id,
  ...(teamIds === null ? {} : { teamIds }),
});

/** An empty value names nothing: forms send their empty fields along. */
const named = (query: OwnerQuery) => ({
  key: query.apiKey || query.api_key || query.apiKeyId || query.keyId || undefined,
  teamId: query.teamId || query.team_id || undefined,
  userId: query.userId || query.user_id || undefined,
});

async function seenKey(deps: UsageRouteDeps, access: UsageAccess, whole: UsageScope, reference: string) {
  const found = await deps.keys.locate(reference);
  const keyId = found?.key.id ?? reference;
  if (found && mayBeSeen(access, found.team)) return keyId;
  // A key that is gone is known to the log alone, one that moved away to nobody here.
  if (!found && (await deps.usage.hasCalls({ ...whole, keyId }))) return keyId;
  throw new GatewayError("not_found", "There is no such key.");
}

async function seenTeam(deps: UsageRouteDeps, access: UsageAccess, whole: UsageScope, teamId: string) {
  const found = await deps.stores.teams.find(teamId);
  if (found && mayBeSeen(access, found)) return teamId;
  if (!found && access.teamIds === null && (await deps.usage.hasCalls({ ...whole, teamIds: [teamId] }))) return teamId;
  throw new GatewayError("not_found", "There is no such team.");
}

async function seenUser(deps: UsageRouteDeps, { organization }: UsageAccess, whole: UsageScope, wanted: string) {
  const userId = toUserId(wanted);
  if (await deps.stores.organizationMembers.find(organization.id, userId)) return userId;
  if (await deps.usage.hasCalls({ ...whole, userId })) return userId;
  throw new GatewayError("not_found", "There is no such user.");
}

const mayBeSeen = (
  { organization, teamIds }: UsageAccess,
  team: { readonly id: string; readonly organizationId: string },
): boolean => team.organizationId === organization.id && (teamIds === null || teamIds.includes(team.id));
