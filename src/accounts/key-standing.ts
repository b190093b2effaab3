import type { CallerBudget, KeyCaller, Standing } from "../contract/caller.ts";
import type { Aliases, ApiKey, SpendLimit } from "./records.ts";
import type { KeyStanding } from "./store.ts";

/** What is known of a team and its organization: one object for all keys of the team. */
export interface KnownTeam {
  readonly id: string;
  readonly organizationId: string;
  readonly blocked: boolean;
  /** The whole organization is blocked. */
  readonly closed: boolean;
  /** What the team and the organization may call; lists that allow everything are left out. */
  readonly within: readonly (readonly string[])[];
  readonly aliases: Aliases | null;
  readonly guardrails: readonly string[];
  readonly standing: Standing;
  /** Those of the organization and of the team. */
  readonly budgets: readonly CallerBudget[];
  forgotten: boolean;
}

const NONE: readonly CallerBudget[] = [];
/** Most keys have no list of their own: they share this one. */
const EVERYTHING: readonly string[] = [];
const NO_GUARDRAILS: readonly string[] = [];

export const toKnownTeam = ({ team, organization }: KeyStanding): KnownTeam => ({
  id: team.id,
  organizationId: team.organizationId,
  blocked: team.status === "blocked",
  closed: organization.status === "blocked",
  within: [team.models, organization.models].filter((list) => list.length > 0),
  aliases: Object.keys(team.modelAliases).length > 0 ? team.modelAliases : null,
  guardrails: team.guardrails.length > 0 ? team.guardrails : NO_GUARDRAILS,
  standing: {
    organizationId: team.organizationId,
    prepaid: organization.billing === "prepaid",
    timezone: organization.timezone,
    storePrompts: organization.storePrompts,
  },
  budgets: budgetList(budgetOf("organization", team.organizationId, organization), budgetOf("team", team.id, team)),
  forgotten: false,
});

export const isSameTeam = (a: KnownTeam, b: KnownTeam): boolean =>
  a.blocked === b.blocked &&
  a.closed === b.closed &&
  a.organizationId === b.organizationId &&
  Bun.deepEquals(a.within, b.within) &&
  Bun.deepEquals(a.aliases, b.aliases) &&
  Bun.deepEquals(a.guardrails, b.guardrails) &&
  isSameStanding(a.standing, b.standing) &&
  isSameList(a.budgets, b.budgets, isSameBudget);

const isSameStanding = (a: Standing, b: Standing): boolean =>
  a.prepaid === b.prepaid && a.timezone === b.timezone && a.storePrompts === b.storePrompts;

const isSameBudget = (a: CallerBudget, b: CallerBudget): boolean =>
  a.id === b.id && a.limit === b.limit && a.window === b.window;

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
  within: team.within,
  aliases: Object.keys(key.aliases).length > 0 ? { ...team.aliases, ...key.aliases } : team.aliases,
  guardrails: key.guardrails.length > 0 ? [...new Set([...team.guardrails, ...key.guardrails])] : team.guardrails,
  rpmLimit: key.rpmLimit,
  tpmLimit: key.tpmLimit,
  userId: key.createdBy,
  standing: team.standing,
  budgets: allBudgets(team, key, member, user),
});

function allBudgets(
  team: KnownTeam,
  key: ApiKey,
  member: SpendLimit | null,
  user: SpendLimit | null,
): readonly CallerBudget[] {
  const own = budgetList(
    user && budgetOf("user", String(key.createdBy), user),
    member && budgetOf("member", `${team.id}/${key.createdBy}`, member),
    budgetOf("key", key.id, key),
  );
  // Most keys have none of their own: they share one list.
  return own.length === 0 ? team.budgets : [...team.budgets, ...own];
}

/** A budget without a window never begins anew. */
const budgetOf = (scope: CallerBudget["scope"], id: string, limit: SpendLimit): CallerBudget | null =>
  limit.budget === null ? null : { scope, id, limit: limit.budget, window: limit.budgetWindow ?? "total" };

function budgetList(...budgets: (CallerBudget | null)[]): readonly CallerBudget[] {
  const found = budgets.filter((budget) => budget !== null);
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
  rpmLimit: null,
  tpmLimit: null,
  userId: null,
  standing: null,
  budgets: NONE,
};
