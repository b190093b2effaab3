import { findUserId } from "../../accounts/people/unknown-users.ts";
import type { Limits, ModelLimits } from "../../accounts/records.ts";
import type { AccountStores } from "../../accounts/store.ts";
import { type PersonReference, requireSame } from "../../accounts/team-people.ts";
import { parseScaled } from "../../catalog/decimal.ts";
import {
  BUDGET_DURATIONS,
  type BudgetWindow,
  durationOfWindow,
  momentAfter,
  parseBudgetDuration,
} from "../../contract/duration.ts";
import { GatewayError } from "../../contract/errors.ts";
import { formatUsd } from "../../contract/money.ts";
import { isoTime } from "../../contract/users.ts";
import { windowAt } from "../../ledger/budget-window.ts";

const NANO_DIGITS = 9;

/**
 * Dollars as nano-USD, by the decimal that the number was written as: 0.1 is exactly 100000000. Within what the schema
 * takes, no two amounts share a number. Finer than a nano-USD is rounded up.
 */
export function nanoOf(usd: number | null | undefined): number | null | undefined {
  if (usd === null || usd === undefined) return usd;
  return Number(parseScaled(usd, NANO_DIGITS) ?? 0n);
}

export const usdOf = (nano: bigint | null): number | null => (nano === null ? null : Number(formatUsd(nano)));

/** What clients send for no duration. */
const NO_DURATION: readonly string[] = ["", "none", "null"];

/** Null removes the window: the budget is then for all time. */
export function windowOf(
  duration: string | null | undefined,
  param = "budget_duration",
): BudgetWindow | null | undefined {
  if (duration === null || duration === undefined) return duration;
  if (NO_DURATION.includes(duration.trim().toLowerCase())) return null;
  const found = parseBudgetDuration(duration);
  if (found !== null) return found;
  throw invalid(param, `must be ${BUDGET_DURATIONS}.`);
}

export const durationOf = (window: BudgetWindow | null): string | null => window && durationOfWindow(window);

/** `-1` is how some clients say that there is no end. */
export function expiryOf(nowMs: number, duration: string | null | undefined): string | null | undefined {
  if (duration === null || duration === undefined) return duration;
  return duration === "-1" ? null : new Date(momentAfter(nowMs, duration, "duration")).toISOString();
}

interface LimitFields {
  readonly max_budget?: number | null;
  readonly soft_budget?: number | null;
  readonly budget_duration?: string | null;
  readonly rpm_limit?: number | null;
  readonly tpm_limit?: number | null;
  readonly max_parallel_requests?: number | null;
  readonly budget_id?: string | null;
}

export const limitSettings = (body: LimitFields) => ({
  budget: nanoOf(body.max_budget),
  softBudget: nanoOf(body.soft_budget),
  budgetWindow: windowOf(body.budget_duration),
  rpmLimit: body.rpm_limit,
  tpmLimit: body.tpm_limit,
  parallelLimit: body.max_parallel_requests,
  budgetId: body.budget_id,
});

export const limitView = (limits: Limits) => ({
  max_budget: usdOf(limits.budget),
  soft_budget: usdOf(limits.softBudget),
  budget_duration: durationOf(limits.budgetWindow),
  tpm_limit: limits.tpmLimit,
  rpm_limit: limits.rpmLimit,
  max_parallel_requests: limits.parallelLimit,
});

/** A time, and the zone that the windows of budgets follow. */
export interface ZonedTime {
  readonly nowMs: number;
  readonly zone: string;
}

export const resetAt = (window: BudgetWindow | null, { nowMs, zone }: ZonedTime): string | null =>
  window === null || window === "total" ? null : isoTime(windowAt(window, zone, nowMs).endMs);

export const timedLimitView = (limits: Limits, time: ZonedTime) => ({
  ...limitView(limits),
  budget_reset_at: resetAt(limits.budgetWindow, time),
});

type RateMap = Readonly<Record<string, number>> | null | undefined;

/** Two maps of the wire as one; a map that is left out stays as `present` has it. */
export function modelLimitsOf(rpm: RateMap, tpm: RateMap, present: ModelLimits = {}): ModelLimits | undefined {
  if (rpm === undefined && tpm === undefined) return undefined;
  const [rpms, tpms] = [
    rpm === undefined ? mapOf(present, "rpm") : (rpm ?? {}),
    tpm === undefined ? mapOf(present, "tpm") : (tpm ?? {}),
  ];
  const names = new Set([...Object.keys(rpms), ...Object.keys(tpms)]);
  const limits = Array.from(names, (name) => {
    const [ofRequests, ofTokens] = [rpms[name], tpms[name]];
    const entry = {
      ...(ofRequests === undefined ? {} : { rpm: ofRequests }),
      ...(ofTokens === undefined ? {} : { tpm: ofTokens }),
    };
    return [name, entry] as const;
  });
  return Object.fromEntries(limits);
}

export const mapOf = (limits: ModelLimits, kind: "rpm" | "tpm"): Record<string, number> =>
  Object.fromEntries(
    Object.entries(limits).flatMap(([name, limit]) => (limit[kind] === undefined ? [] : [[name, limit[kind]]])),
  );

/** Names that elsewhere stand for a list: all that the team may, or all that there is. Here an empty list says so. */
const EVERYTHING = ["all-team-models", "all-proxy-models"];

export function modelsOf(models: readonly string[] | null | undefined): readonly string[] | null | undefined {
  if (!models) return models;
  return models.some((name) => EVERYTHING.includes(name)) ? [] : models;
}

/** The ids by which scripts know these users: the chosen id, else the number as text. */
export async function userTextsOf(
  { users }: Pick<AccountStores, "users">,
  ids: readonly (number | null)[],
): Promise<(id: number | null) => string | null> {
  const chosen = await users.externalIdsOf([...new Set(ids.filter((id) => id !== null))]);
  return (id) => (id === null ? null : (chosen.get(id) ?? String(id)));
}

/** The id by which scripts know a user. */
export const userText = (user: { readonly userId: number; readonly externalId: string | null }): string =>
  user.externalId ?? String(user.userId);

interface PersonFields {
  readonly user_id?: string | null;
  readonly user_email?: string | null;
}

/** A user by id or email. One of them is required; two are of one person. */
export function personOf({ user_id, user_email }: PersonFields): PersonReference {
  const email = user_email ?? undefined;
  if (user_id != null) return { userId: user_id, email };
  if (email !== undefined) return { email };
  throw invalid("user_id", "name the person by `user_id` or by `user_email`.");
}

/**
 * The number of a member. An email is looked up among the members only, so it reveals nothing of others. The change itself
 * checks whether an id is a member's.
 */
export async function findMemberId(
  stores: Pick<AccountStores, "users">,
  named: PersonFields,
  listMembers: () => Promise<readonly { readonly userId: number; readonly email: string }[]>,
): Promise<number> {
  const { email } = personOf(named);
  const members = email === undefined ? [] : await listMembers();
  if (named.user_id == null) {
    const found = members.find((member) => member.email === email?.trim().toLowerCase());
    if (found) return found.userId;
    throw new GatewayError("not_found", "There is no such member.");
  }
  const userId = await findUserId(stores, named.user_id);
  const member = members.find((one) => one.userId === userId);
  if (member) requireSame(member, { email });
  return userId;
}

const invalid = (param: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${reason}`, { param });
