import { defaultsOf, withDefaults } from "../../../accounts/key-standing.ts";
import type { RateLimit, SpendLimit, Team } from "../../../accounts/records.ts";
import type { TeamWithCounts } from "../../../accounts/store.ts";
import type { TeamPerson } from "../../../accounts/teams.ts";
import { isoTime } from "../../../contract/users.ts";
import { zonesOf } from "../../keys/key-spending.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { furtherView } from "../further-budgets.ts";
import { durationOf, mapOf, resetAt, timedLimitView, usdOf, userText, type ZonedTime } from "../wire-values.ts";

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
    return { row, memberships: members.map((member) => membershipRow(team, member, time)) };
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
  ...furtherView(team.furtherBudgets, time),
  model_rpm_limit: mapOf(team.modelLimits, "rpm"),
  model_tpm_limit: mapOf(team.modelLimits, "tpm"),
  team_member_budget: usdOf(team.memberBudget),
  team_member_budget_duration: durationOf(team.memberBudgetWindow),
  team_member_rpm_limit: team.memberRpmLimit,
  team_member_tpm_limit: team.memberTpmLimit,
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

export const memberRow = ({ userId, externalId, email, role }: TeamPerson) => ({
  user_id: userText({ userId, externalId }),
  user_email: email || null,
  role: wireRole(role),
});

/** The limits of a member in the team: their own, and in the table those that hold. */
const membershipRow = (team: Team, member: TeamPerson, time: ZonedTime) => ({
  team_id: team.id,
  user_id: userText(member),
  max_budget_in_team: usdOf(member.budget),
  ...memberLimitView(member, time),
  litellm_budget_table: memberBudgetTable(withDefaults(member, defaultsOf(team)), time),
});

const memberLimitView = ({ budgetWindow, rpmLimit, tpmLimit }: SpendLimit & RateLimit, time: ZonedTime) => ({
  budget_duration: durationOf(budgetWindow),
  rpm_limit: rpmLimit,
  tpm_limit: tpmLimit,
  budget_reset_at: resetAt(budgetWindow, time),
});

const memberBudgetTable = (limits: SpendLimit & RateLimit, time: ZonedTime) => ({
  budget_id: null,
  max_budget: usdOf(limits.budget),
  soft_budget: null,
  max_parallel_requests: null,
  ...memberLimitView(limits, time),
});

export async function membershipRows(deps: GatewayAdminDeps, team: Team, members: readonly TeamPerson[]) {
  const zones = await zonesOf(deps.stores, [team.organizationId]);
  const time = { nowMs: deps.clock.nowMs(), zone: zones.get(team.organizationId) ?? "UTC" };
  return members.map((member) => membershipRow(team, member, time));
}
