import type { TeamWithCounts } from "../../accounts/store.ts";
import type { TeamPerson } from "../../accounts/teams.ts";
import { limitsView, memberLimitsView } from "../../contract/limits.ts";
import type { TeamMemberRecord, TeamRecord } from "../../contract/organizations.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";
import { subjectOf } from "../../ledger/budget-credit.ts";
import { windowAt } from "../../ledger/budget-window.ts";
import { furtherSpending, type KeySpendingDeps, zonesOf } from "../keys/key-spending.ts";
import { memberRecord } from "../organizations/member-record.ts";

export type TeamSpendingDeps = Pick<KeySpendingDeps, "spending" | "stores" | "clock">;

/** Teams with what they have spent of their budgets; however many there are, it is looked up at once. */
export async function teamRecords(deps: TeamSpendingDeps, found: readonly TeamWithCounts[]): Promise<TeamRecord[]> {
  const zones = await zonesOf(
    deps.stores,
    found.map(({ team }) => team.organizationId),
  );
  const owners = found.map(({ team }) => ({
    subject: subjectOf("team", team.id),
    zone: zones.get(team.organizationId) ?? "UTC",
    budgets: team.furtherBudgets,
  }));
  const [budgets, further] = await Promise.all([spentBudgets(deps, found, zones), furtherSpending(deps, owners)]);
  return found.map(({ team, membersCount, keysCount }, at) => ({
    id: team.id,
    name: team.name,
    organizationId: team.organizationId,
    status: team.status,
    blocked: team.status === "blocked",
    blockedReason: team.blockedReason,
    ...limitsView(team),
    budget: budgets.get(team.id) ?? null,
    furtherBudgets: [...(further[at] ?? [])],
    modelLimits: { ...team.modelLimits },
    models: [...team.models],
    modelAliases: { ...team.modelAliases },
    guardrails: [...team.guardrails],
    tags: [...team.tags],
    metadata: { ...team.metadata },
    membersCount,
    keysCount,
    createdAt: isoTime(team.createdAt),
    updatedAt: isoTime(team.updatedAt),
  }));
}

export async function teamRecord(deps: TeamSpendingDeps, found: TeamWithCounts): Promise<TeamRecord> {
  const [record] = await teamRecords(deps, [found]);
  if (!record) throw new Error("one team has one record");
  return record;
}

/** By the ids of the teams that have one. */
async function spentBudgets(
  { spending, clock }: TeamSpendingDeps,
  found: readonly TeamWithCounts[],
  zones: ReadonlyMap<string, string>,
) {
  const limited = found.flatMap(({ team }) => (team.budget === null ? [] : [{ ...team, budget: team.budget }]));
  const windows = limited.map(({ id, organizationId, budgetWindow }) => ({
    subject: subjectOf("team", id),
    ...windowAt(budgetWindow ?? "total", zones.get(organizationId) ?? "UTC", clock.nowMs()),
  }));
  const spent = await spending.spent(windows);
  return new Map(
    limited.map(({ id, budget, budgetWindow }, at) => {
      const endMs = windows[at]?.endMs ?? Number.POSITIVE_INFINITY;
      const resetAt = isoTimeOrNull(Number.isFinite(endMs) ? endMs : null);
      const window = budgetWindow ?? ("total" as const);
      return [id, { limit: Number(budget), window, spent: Number(spent[at] ?? 0n), resetAt }] as const;
    }),
  );
}

/** Somebody in a team, with what they may spend there. */
export const teamMemberRecord = (person: TeamPerson): TeamMemberRecord => ({
  ...memberRecord(person),
  ...memberLimitsView(person),
});
