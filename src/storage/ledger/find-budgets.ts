import type { BudgetWindow } from "../../contract/duration.ts";
import { endUserId } from "../../contract/end-users.ts";
import type { UsageRecord } from "../../contract/usage.ts";
import { type BudgetScope, subjectOf } from "../../ledger/budget-credit.ts";
import { jsonRows } from "../json-rows.ts";
import { statement } from "../statement.ts";
import type { StatementBatch } from "../statement-batch.ts";

/** What somebody may spend as it is set now, hard or soft. */
export interface SetBudget {
  readonly subject: string;
  readonly scope: BudgetScope;
  readonly id: string;
  readonly name: string;
  readonly organizationId: string | null;
  readonly budget: bigint | null;
  readonly softBudget: bigint | null;
  readonly budgetWindow: BudgetWindow | null;
  /** What does not count in the window that began then. */
  readonly waivedBudget: bigint;
  readonly waivedWindowAt: number | null;
  /** Of the organization; null for people, who belong to none. */
  readonly timezone: string | null;
}

type Wanted = {
  readonly scope: BudgetScope;
  readonly id: string;
  readonly team: string | null;
  readonly person: number | null;
  readonly organization?: string;
  readonly end_user?: string;
};

const COLUMNS = {
  scope: "text",
  id: "text",
  team: "text",
  person: "integer",
  organization: "text",
  end_user: "text",
} as const;

/** Whose budgets calls count for, whether they have one or not; worked out once for each of those who called. */
export class Subjects {
  private readonly known = new Map<string, Known>();
  /** By the key, whose calls are nearly always one owner's: a name put together for each call took four times as long. */
  private readonly lastOf = new Map<string, Known>();

  /** One list for all calls of an owner. */
  of(record: Owner): readonly string[] {
    const last = this.lastOf.get(record.keyId);
    if (last !== undefined && isSame(last.owner, record)) return last.subjects;
    const name = `${record.keyId}/${record.userId}/${record.teamId}/${record.organizationId}/${record.endUser ?? ""}`;
    let known = this.known.get(name);
    if (known === undefined) {
      known = { owner: record, subjects: wantedOf(record).map(({ scope, id }) => subjectOf(scope, id)) };
      this.known.set(name, known);
    }
    this.lastOf.set(record.keyId, known);
    return known.subjects;
  }

  /** Those of all calls that were asked for. */
  all(): ReadonlySet<string> {
    return new Set(this.known.values().flatMap(({ subjects }) => subjects));
  }

  owners(): readonly Owner[] {
    return [...this.known.values()].map(({ owner }) => owner);
  }
}

type Owner = Pick<UsageRecord, "organizationId" | "teamId" | "keyId" | "userId" | "endUser">;

interface Known {
  readonly owner: Owner;
  readonly subjects: readonly string[];
}

const isSame = (a: Owner, b: Owner): boolean =>
  a.keyId === b.keyId &&
  a.userId === b.userId &&
  a.teamId === b.teamId &&
  a.organizationId === b.organizationId &&
  a.endUser === b.endUser;

function wantedOf({ organizationId, teamId, keyId, userId, endUser }: Owner): readonly Wanted[] {
  const wanted: Wanted[] = [{ scope: "key", id: keyId, team: null, person: null }];
  if (organizationId !== null) wanted.push({ scope: "organization", id: organizationId, team: null, person: null });
  if (teamId !== null) wanted.push({ scope: "team", id: teamId, team: null, person: null });
  if (organizationId !== null && endUser !== null) wanted.push(wantedEndUser(organizationId, endUser));
  if (userId === null) return wanted;
  wanted.push({ scope: "user", id: String(userId), team: null, person: userId });
  if (teamId !== null) wanted.push({ scope: "member", id: `${teamId}/${userId}`, team: teamId, person: userId });
  return wanted;
}

const wantedEndUser = (organization: string, name: string): Wanted => ({
  scope: "end_user",
  id: endUserId(organization, name),
  team: null,
  person: null,
  organization,
  end_user: name,
});

/** The budgets that calls of these count for, in one look-up; most have none. */
export function queueBudgets(together: StatementBatch, owners: readonly Owner[]): () => readonly SetBudget[] {
  const wanted = new Map(owners.flatMap(wantedOf).map((one) => [subjectOf(one.scope, one.id), one]));
  const found = together.add(statement<Omit<SetBudget, "subject">>`
    with wanted as (select r.scope, r.id, r.team, r.person, r.organization, r.end_user
      from ${jsonRows(COLUMNS, [...wanted.values()])})
    select w.scope, w.id, k.name, t.organization_id, k.budget, k.soft_budget, k.budget_window, k.waived_budget,
      k.waived_window_at, o.timezone
    from wanted w join api_keys k on k.id = w.id join teams t on t.id = k.team_id
      join organizations o on o.id = t.organization_id
    where w.scope = 'key' and (k.budget is not null or k.soft_budget is not null)
    union all
    select w.scope, w.id, t.name, t.organization_id, t.budget, t.soft_budget, t.budget_window, 0, null, o.timezone
    from wanted w join teams t on t.id = w.id join organizations o on o.id = t.organization_id
    where w.scope = 'team' and (t.budget is not null or t.soft_budget is not null)
    union all
    select w.scope, w.id, o.name, o.id, o.budget, o.soft_budget, o.budget_window, 0, null, o.timezone
    from wanted w join organizations o on o.id = w.id
    where w.scope = 'organization' and (o.budget is not null or o.soft_budget is not null)
    union all
    select w.scope, w.id, u.name, t.organization_id, coalesce(m.budget, t.member_budget), null,
      case when m.budget is null then t.member_budget_window else m.budget_window end, 0, null, o.timezone
    from wanted w join team_members m on m.team_id = w.team and m.user_id = w.person join users u on u.id = m.user_id
      join teams t on t.id = m.team_id join organizations o on o.id = t.organization_id
    where w.scope = 'member' and (m.budget is not null or t.member_budget is not null)
    union all
    select w.scope, w.id, u.name, null, u.budget, null, u.budget_window, 0, null, null
    from wanted w join users u on u.id = w.person
    where w.scope = 'user' and u.budget is not null
    union all
    select w.scope, w.id, coalesce(e.alias, e.id), e.organization_id, e.budget, e.soft_budget, e.budget_window, 0, null,
      o.timezone
    from wanted w join end_users e on e.organization_id = w.organization and e.id = w.end_user
      join organizations o on o.id = e.organization_id
    where w.scope = 'end_user' and (e.budget is not null or e.soft_budget is not null)`);
  return () => found().map((row) => ({ ...row, subject: subjectOf(row.scope, row.id) }));
}
