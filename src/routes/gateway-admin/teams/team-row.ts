import type { Team } from "../../../accounts/records.ts";
import type { TeamWithCounts } from "../../../accounts/store.ts";
import type { TeamPerson } from "../../../accounts/teams.ts";
import { isoTime } from "../../../contract/users.ts";
import { zonesOf } from "../../keys/key-spending.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { durationOf, resetAt, timedLimitView, usdOf, type ZonedTime } from "../wire-values.ts";

/** Ours: admin and member. On this face: admin and user. */
export const teamRole = (role: "admin" | "user"): "admin" | "member" => (role === "admin" ? "admin" : "member");
const wireRole = (role: "admin" | "member"): "admin" | "user" => (role === "admin" ? "admin" : "user");

/** Teams as scripts read them, with their members. All are looked up at once. */
export async function teamRows(deps: GatewayAdminDeps, teams: readonly Pick<TeamWithCounts, "team">[]) {
  const ids = teams.map(({ team }) => team.id);
  const organizationIds = teams.map(({ team }) => team.organizationId);
  const [people, spent, zones] = await Promise.all([
    deps.stores.teamMembers.listOf(ids),
    deps.usage.spendOfTeams(ids),
    zonesOf(deps.stores, organizationIds),
  ]);
  const nowMs = deps.clock.nowMs();
  const byTeam = Map.groupBy(people, ({ teamId }) => teamId);
  return teams.map(({ team }) => {
    const members = byTeam.get(team.id) ?? [];
    const spend = usdOf(spent.get(team.id)?.cost ?? 0n);
    const time = { nowMs, zone: zones.get(team.organizationId) ?? "UTC" };
    const row = { ...plainTeamRow(team, time), members_with_roles: members.map(memberRow), spend };
    return { row, memberships: members.map((member) => membershipRow(team.id, member, time)) };
  });
}

export async function teamRow(deps: GatewayAdminDeps, team: Pick<TeamWithCounts, "team">) {
  const [found] = await teamRows(deps, [team]);
  if (!found) throw new Error("one team has one row");
  return found.row;
}

/** What the record itself says; the rest is looked up. */
export const plainTeamRow = (team: Team, time: ZonedTime) => ({
  team_id: team.id,
  team_alias: team.name,
  organization_id: team.organizationId,
  ...timedLimitView(team, time),
  models: [...team.models],
  model_aliases: { ...team.modelAliases },
  metadata: { ...team.metadata },
  guardrails: [...team.guardrails],
  tags: [...team.tags],
  blocked: team.status === "blocked",
  budget_id: team.budgetId,
  created_at: isoTime(team.createdAt),
  updated_at: isoTime(team.updatedAt),
});

export const memberRow = ({ userId, email, role }: TeamPerson) => ({
  user_id: String(userId),
  user_email: email,
  role: wireRole(role),
});

/** What a member may spend within the team. */
const membershipRow = (teamId: string, member: TeamPerson, time: ZonedTime) => {
  const limits = {
    budget_duration: durationOf(member.budgetWindow),
    rpm_limit: member.rpmLimit,
    tpm_limit: member.tpmLimit,
    budget_reset_at: resetAt(member.budgetWindow, time),
  };
  const max_budget = usdOf(member.budget);
  return {
    team_id: teamId,
    user_id: String(member.userId),
    max_budget_in_team: max_budget,
    ...limits,
    litellm_budget_table: { budget_id: null, max_budget, soft_budget: null, max_parallel_requests: null, ...limits },
  };
};

export async function membershipRows(deps: GatewayAdminDeps, team: Team, members: readonly TeamPerson[]) {
  const zones = await zonesOf(deps.stores, [team.organizationId]);
  const time = { nowMs: deps.clock.nowMs(), zone: zones.get(team.organizationId) ?? "UTC" };
  return members.map((member) => membershipRow(team.id, member, time));
}
