import type { CallerBudget, CallerLimit, KeyCaller, Standing } from "../contract/caller.ts";
import { compileRanges, type IpRanges } from "../lib/ip-range.ts";
import type { Aliases, ApiKey, FurtherBudget, ModelLimits, RateLimit, SpendLimit, Team } from "./records.ts";
import type { KeyStanding } from "./store.ts";

/** What is known of a team and its organization: one object for all keys of the team. */
export interface KnownTeam {
  readonly id: string;
  readonly organizationId: string;
  /** Why the team is blocked; null where it is not. */
  readonly blocked: "balance" | "admin" | null;
  /** The whole organization is blocked. */
  readonly closed: boolean;
  /** What the team and the organization may call; lists that allow everything are left out. */
  readonly within: readonly (readonly string[])[];
  /** Where the organization may be called from; null: from anywhere. */
  readonly ranges: IpRanges | null;
  readonly aliases: Aliases | null;
  readonly guardrails: readonly string[];
  readonly tags: readonly string[];
  readonly standing: Standing;
  /** Those of the organization and of the team. */
  readonly budgets: readonly CallerBudget[];
  readonly limits: readonly CallerLimit[];
  /** Limits of members who have none. */
  readonly memberDefaults: SpendLimit & RateLimit;
  forgotten: boolean;
}

const NONE: readonly never[] = [];
/** Most keys have no list of their own: they share this one. */
const EVERYTHING: readonly string[] = [];
const NO_GUARDRAILS: readonly string[] = [];
const NO_TAGS: readonly string[] = [];

export const toKnownTeam = ({ team, organization }: KeyStanding): KnownTeam => ({
  id: team.id,
  organizationId: team.organizationId,
  blocked: team.status === "blocked" ? (team.blockedReason ?? "admin") : null,
  closed: organization.status === "blocked",
  within: [team.models, organization.models].filter((list) => list.length > 0),
  ranges: organization.allowedIps.length > 0 ? compileRanges(organization.allowedIps) : null,
  aliases: Object.keys(team.modelAliases).length > 0 ? team.modelAliases : null,
  guardrails: team.guardrails.length > 0 ? team.guardrails : NO_GUARDRAILS,
  tags: team.tags.length > 0 ? team.tags : NO_TAGS,
  standing: {
    organizationId: team.organizationId,
    prepaid: organization.billing === "prepaid",
    timezone: organization.timezone,
    storePrompts: organization.storePrompts,
  },
  budgets: listOf(
    budgetOf("organization", team.organizationId, organization),
    budgetOf("team", team.id, team),
    ...furtherOf("team", team.id, team.furtherBudgets),
  ),
  limits: listOf(
    limitOf("organization", team.organizationId, organization),
    limitOf("team", team.id, team, team.modelLimits),
  ),
  memberDefaults: defaultsOf(team),
  forgotten: false,
});

export const isSameTeam = (a: KnownTeam, b: KnownTeam): boolean =>
  a.blocked === b.blocked &&
  a.closed === b.closed &&
  a.organizationId === b.organizationId &&
  Bun.deepEquals(a.within, b.within) &&
  Bun.deepEquals(a.ranges?.list, b.ranges?.list) &&
  Bun.deepEquals(a.aliases, b.aliases) &&
  Bun.deepEquals(a.guardrails, b.guardrails) &&
  Bun.deepEquals(a.tags, b.tags) &&
  isSameStanding(a.standing, b.standing) &&
  isSameList(a.budgets, b.budgets, isSameBudget) &&
  Bun.deepEquals(a.limits, b.limits) &&
  Bun.deepEquals(a.memberDefaults, b.memberDefaults);

const isSameStanding = (a: Standing, b: Standing): boolean =>
  a.prepaid === b.prepaid && a.timezone === b.timezone && a.storePrompts === b.storePrompts;

const isSameBudget = (a: CallerBudget, b: CallerBudget): boolean =>
  a.id === b.id && a.limit === b.limit && a.window === b.window && a.isFurther === b.isFurther && a.model === b.model;

const isSameList = <T>(a: readonly T[], b: readonly T[], isSame: (a: T, b: T) => boolean): boolean =>
  a.length === b.length && a.every((one, index) => isSame(one, b[index] as T));

export const toCaller = (
  { key, member, user }: Pick<KeyStanding, "key" | "member" | "user">,
  team: KnownTeam,
): KeyCaller => ({
  kind: "key",
  master: false,
  keyId: key.id,
  keyName: key.name,
  teamId: team.id,
  organizationId: team.organizationId,
  models: key.models.length > 0 ? key.models : EVERYTHING,
  within: user && user.models.length > 0 ? [...team.within, user.models] : team.within,
  aliases: Object.keys(key.aliases).length > 0 ? { ...team.aliases, ...key.aliases } : team.aliases,
  guardrails: key.guardrails.length > 0 ? [...new Set([...team.guardrails, ...key.guardrails])] : team.guardrails,
  tags: key.tags.length > 0 ? [...new Set([...team.tags, ...key.tags])] : team.tags,
  rpmLimit: key.rpmLimit,
  tpmLimit: key.tpmLimit,
  userId: key.createdBy,
  standing: team.standing,
  budgets: allBudgets(team, key, member && withDefaults(member, team.memberDefaults), user),
  waivedSpend: key.waivedSpend === 0n ? null : key.waivedSpend,
  limits: allLimits(team, key, member && withDefaults(member, team.memberDefaults), user),
});

export const defaultsOf = (team: Team): SpendLimit & RateLimit => ({
  budget: team.memberBudget,
  budgetWindow: team.memberBudgetWindow,
  rpmLimit: team.memberRpmLimit,
  tpmLimit: team.memberTpmLimit,
});

/** Each limit of a member, or that of the team for its members. */
export function withDefaults(own: SpendLimit & RateLimit, defaults: SpendLimit & RateLimit): SpendLimit & RateLimit {
  const { budget, budgetWindow } = own.budget === null ? defaults : own;
  return {
    budget,
    budgetWindow,
    rpmLimit: own.rpmLimit ?? defaults.rpmLimit,
    tpmLimit: own.tpmLimit ?? defaults.tpmLimit,
  };
}

function allBudgets(
  team: KnownTeam,
  key: ApiKey,
  member: SpendLimit | null,
  user: KeyStanding["user"],
): readonly CallerBudget[] {
  const userId = String(key.createdBy);
  const own = listOf(
    user && budgetOf("user", userId, user),
    ...(user ? furtherOf("user", userId, user.furtherBudgets) : NONE),
    member && budgetOf("member", `${team.id}/${userId}`, member),
    keyBudget(key),
    ...furtherOf("key", key.id, key.furtherBudgets),
  );
  // Most keys have none of their own: they share one list.
  return own.length === 0 ? team.budgets : [...team.budgets, ...own];
}

function allLimits(
  team: KnownTeam,
  key: ApiKey,
  member: RateLimit | null,
  user: RateLimit | null,
): readonly CallerLimit[] {
  const own = listOf(
    user && limitOf("user", String(key.createdBy), user),
    member && limitOf("member", `${team.id}/${key.createdBy}`, member),
    limitOf("key", key.id, key, key.modelLimits),
  );
  return own.length === 0 ? team.limits : [...team.limits, ...own];
}

function limitOf(
  scope: CallerLimit["scope"],
  id: string,
  limit: RateLimit & { readonly parallelLimit?: number | null },
  modelLimits: ModelLimits = {},
): CallerLimit | null {
  const models = Object.keys(modelLimits).length > 0 ? modelLimits : null;
  const { rpmLimit: rpm, tpmLimit: tpm, parallelLimit: parallel = null } = limit;
  return rpm === null && tpm === null && parallel === null && !models
    ? null
    : { scope, id, rpm, tpm, parallel, models };
}

/** A budget without a window never begins anew. */
const budgetOf = (scope: CallerBudget["scope"], id: string, limit: SpendLimit): CallerBudget | null =>
  limit.budget === null ? null : { scope, id, limit: limit.budget, window: limit.budgetWindow ?? "total" };

const furtherOf = (
  scope: CallerBudget["scope"],
  id: string,
  budgets: readonly FurtherBudget[],
): readonly CallerBudget[] =>
  budgets.map(({ limit, window, model }) => ({
    ...{ scope, id, limit: BigInt(limit), window, isFurther: true },
    ...(model === null ? {} : { model }),
  }));

function keyBudget(key: ApiKey): CallerBudget | null {
  const budget = budgetOf("key", key.id, key);
  const { waivedBudget: amount, waivedWindowAt: windowAt } = key;
  return budget === null || windowAt === null ? budget : { ...budget, waived: { amount, windowAt } };
}

function listOf<T>(...list: (T | null)[]): readonly T[] {
  const found = list.filter((one) => one !== null);
  return found.length === 0 ? NONE : found;
}

export const MASTER: KeyCaller = {
  kind: "key",
  master: true,
  keyId: "master",
  keyName: "master key",
  teamId: null,
  organizationId: null,
  models: EVERYTHING,
  within: [],
  aliases: null,
  guardrails: NO_GUARDRAILS,
  tags: NO_TAGS,
  rpmLimit: null,
  tpmLimit: null,
  userId: null,
  standing: null,
  budgets: NONE,
  limits: NONE,
};
