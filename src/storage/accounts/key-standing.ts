import type { Kysely } from "kysely";
import type { RateLimit, SpendLimit } from "../../accounts/records.ts";
import type { KeyStanding } from "../../accounts/store.ts";
import type { Tables } from "../tables.ts";
import { decodeFurtherBudgets, decodeStrings } from "./json-columns.ts";
import { selectWithTeam, toKeyWithTeam } from "./key-rows.ts";

type StandingRow = Awaited<ReturnType<ReturnType<typeof selectStanding>["executeTakeFirstOrThrow"]>>;

/** A key with all that admission asks of the database, in one look-up. */
export function selectStanding(db: Kysely<Tables>) {
  return selectWithTeam(db)
    .innerJoin("organizations as organization", "organization.id", "team.organizationId")
    .leftJoin("users as user", "user.id", "key.createdBy")
    .leftJoin("teamMembers as member", (join) =>
      join.onRef("member.teamId", "=", "team.id").onRef("member.userId", "=", "key.createdBy"),
    )
    .select([
      "organization.billing as orgBilling",
      "organization.status as orgStatus",
      "organization.models as orgModels",
      "organization.allowedIps as orgAllowedIps",
      "organization.timezone as orgTimezone",
      "organization.storePrompts as orgStorePrompts",
      "organization.budget as orgBudget",
      "organization.budgetWindow as orgBudgetWindow",
      "organization.rpmLimit as orgRpmLimit",
      "organization.tpmLimit as orgTpmLimit",
      "organization.parallelLimit as orgParallelLimit",
      "user.id as makerId",
      "user.budget as makerBudget",
      "user.budgetWindow as makerBudgetWindow",
      "user.rpmLimit as makerRpmLimit",
      "user.tpmLimit as makerTpmLimit",
      "user.furtherBudgets as makerFurtherBudgets",
      "user.models as makerModels",
      "user.parallelLimit as makerParallelLimit",
      "member.userId as memberId",
      "member.budget as memberBudget",
      "member.budgetWindow as memberBudgetWindow",
      "member.rpmLimit as memberRpmLimit",
      "member.tpmLimit as memberTpmLimit",
    ]);
}

export function toStanding(row: StandingRow): KeyStanding {
  const { orgBilling, orgStatus, orgModels, orgTimezone, orgStorePrompts, orgBudget, orgBudgetWindow, ...others } = row;
  const { orgAllowedIps, orgRpmLimit, orgTpmLimit, orgParallelLimit, ...people } = others;
  const { makerId, makerBudget, makerBudgetWindow, makerRpmLimit, makerTpmLimit, ...member } = people;
  const { memberId, memberBudget, memberBudgetWindow, memberRpmLimit, memberTpmLimit, ...maker } = member;
  const { makerModels, makerParallelLimit, makerFurtherBudgets, ...key } = maker;
  const user = limitOf(makerId, makerBudget, makerBudgetWindow, makerRpmLimit, makerTpmLimit);
  return {
    ...toKeyWithTeam(key),
    organization: {
      billing: orgBilling,
      status: orgStatus,
      models: decodeStrings(orgModels),
      allowedIps: decodeStrings(orgAllowedIps),
      timezone: orgTimezone,
      storePrompts: orgStorePrompts,
      budget: orgBudget,
      budgetWindow: orgBudgetWindow,
      rpmLimit: orgRpmLimit,
      tpmLimit: orgTpmLimit,
      parallelLimit: orgParallelLimit,
    },
    user: user && {
      ...user,
      models: decodeStrings(makerModels ?? "[]"),
      parallelLimit: makerParallelLimit,
      furtherBudgets: decodeFurtherBudgets(makerFurtherBudgets ?? "[]"),
    },
    member: limitOf(memberId, memberBudget, memberBudgetWindow, memberRpmLimit, memberTpmLimit),
  };
}

const limitOf = (
  id: number | null,
  budget: bigint | null,
  budgetWindow: SpendLimit["budgetWindow"],
  rpmLimit: number | null,
  tpmLimit: number | null,
): (SpendLimit & RateLimit) | null => (id === null ? null : { budget, budgetWindow, rpmLimit, tpmLimit });
