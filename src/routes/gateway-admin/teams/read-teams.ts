import Type from "typebox";
import { statusOf } from "../../../accounts/keys-list.ts";
import type { TeamWithCounts } from "../../../accounts/store.ts";
import type { KeyCaller } from "../../../contract/caller.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { refuseUnserved } from "../../../contract/gateway-admin/fields.ts";
import {
  TeamInfoQuery,
  TeamListQuery,
  TeamPageQuery,
  UNSERVED_OF_TEAM_LISTS,
  UNSERVED_OF_WHOLE_TEAM_LISTS,
} from "../../../contract/gateway-admin/teams.ts";
import { json } from "../../../http/reply.ts";
import { type Route, route } from "../../../http/route.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { authorityOf } from "../authority-of.ts";
import { keyRows } from "../keys/key-row.ts";
import { knownUserId } from "../require-known.ts";
import { ANY, EVERYTHING } from "../shared.ts";
import { teamRows } from "./team-row.ts";

const shared = { ...ANY, method: "GET", tag: "Teams of the gateway" } as const;

export const readTeams = (deps: GatewayAdminDeps): Route[] => [
  route({
    ...shared,
    paths: ["/team/info"],
    summary: "Show a team",
    description: "With its keys and memberships. To a key of the team only what the team may do is shown.",
    query: TeamInfoQuery,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ query, caller }) {
      if (caller.kind === "key" && !caller.master) return json(await reduced(deps, caller, query.team_id));
      const teamId = query.team_id;
      if (teamId === undefined)
        throw new GatewayError("invalid_request", "team_id: name the team.", { param: "team_id" });
      const authority = authorityOf(caller);
      const found = await deps.teams.get({ caller: authority, teamId });
      const [{ keys, team_memberships, ...team_info } = NOTHING] = await withParts(deps, [found]);
      return json({ team_id: teamId, team_info, keys, team_memberships });
    },
  }),
  route({
    ...shared,
    paths: ["/team/list"],
    summary: "List teams",
    query: TeamListQuery,
    success: Type.Array(ANY.success),
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ query, caller }) {
      refuseUnserved(query, UNSERVED_OF_WHOLE_TEAM_LISTS);
      const authority = authorityOf(caller);
      const userId = query.user_id === undefined ? undefined : await knownUserId(deps, authority, query.user_id);
      const filter = { organizationId: query.organization_id };
      const { rows } = await deps.teams.search({ caller: authority, filter, page: EVERYTHING });
      const listed: TeamWithCounts[] = [];
      for (const team of rows) {
        if (userId === undefined || (await isIn(deps, team, userId))) listed.push(team);
      }
      return json(await withParts(deps, listed));
    },
  }),
  route({
    ...shared,
    paths: ["/v2/team/list"],
    summary: "List teams in pages",
    query: TeamPageQuery,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ query, caller }) {
      refuseUnserved(query, UNSERVED_OF_TEAM_LISTS);
      const page = { page: query.page ?? 1, pageSize: query.page_size ?? 10 };
      const filter = { teamId: query.team_id, organizationId: query.organization_id, search: query.team_alias };
      const { rows, total } = await deps.teams.search({ caller: authorityOf(caller), filter, page });
      const teams = (await teamRows(deps, rows)).map(({ row }) => row);
      const total_pages = Math.ceil(total / page.pageSize);
      return json({ teams, total, page: page.page, page_size: page.pageSize, total_pages });
    },
  }),
];

const isIn = async ({ stores }: GatewayAdminDeps, { team }: TeamWithCounts, userId: number): Promise<boolean> =>
  (await stores.teamMembers.find(team.id, userId)) !== null;

const NOTHING = { keys: [], team_memberships: [] };

/** Teams that the caller may see, with their keys and memberships; the keys of all of them are read at once. */
async function withParts(deps: GatewayAdminDeps, teams: readonly Pick<TeamWithCounts, "team">[]) {
  const teamIds = teams.map(({ team }) => team.id);
  const organizations = new Map(teams.map(({ team }) => [team.id, team.organizationId]));
  const { rows } = await deps.stores.keys.list({ teamIds }, EVERYTHING);
  const now = deps.clock.nowMs();
  const keys = await keyRows(
    deps,
    rows.map((key) => ({ key, organizationId: organizations.get(key.teamId) ?? "", status: statusOf(key, now) })),
  );
  const keysOf = Map.groupBy(keys, ({ team_id }) => team_id);
  return (await teamRows(deps, teams)).map(({ row, memberships }) => ({
    ...row,
    keys: keysOf.get(row.team_id) ?? [],
    team_memberships: memberships,
  }));
}

/** What a program that has a key may know of its team: what it may do, and not who else is in it. */
async function reduced({ stores }: GatewayAdminDeps, { teamId }: KeyCaller, named: string | undefined) {
  const team = named === undefined || named === teamId ? await stores.teams.find(teamId ?? "") : null;
  if (!team) throw new GatewayError("permission", "A key sees only its own team; use the master key or a session.");
  const team_info = {
    team_id: team.id,
    team_alias: team.name,
    organization_id: team.organizationId,
    models: [...team.models],
    tpm_limit: team.tpmLimit,
    rpm_limit: team.rpmLimit,
    blocked: team.status === "blocked",
  };
  return { team_id: team.id, team_info, keys: [], team_memberships: [] };
}
