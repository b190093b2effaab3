import { type Authority, requireOperator } from "./authority.ts";
import { cleanName } from "./clean-name.ts";
import { requireFitting } from "./fitting-budgets.ts";
import { readGuardrailNames } from "./guardrail-names.ts";
import { readMetadata } from "./keys-settings.ts";
import { findShared, type LimitSettings, type PartSettings, readLimits, readParts } from "./limit-settings.ts";
import type { Aliases, MemberDefaults, Team } from "./records.ts";
import type { AccountStores } from "./store.ts";
import { type MemberLimits, memberLimits } from "./team-people.ts";

/** What may be set of a team. What is left out stays as it is; null empties a field. */
export interface TeamChanges extends LimitSettings, PartSettings {
  readonly name?: string | undefined;
  readonly models?: readonly string[] | null | undefined;
  readonly modelAliases?: Aliases | null | undefined;
  /** Limits of each member who has none. */
  readonly memberDefaults?: MemberLimits | undefined;
  readonly guardrails?: readonly string[] | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

/** These a team's own administrators look after; all else is what the organization allows the team. */
const OWN: readonly string[] = ["name", "tags", "metadata"];

export const needsOrganizationAdmin = (changes: TeamChanges): boolean =>
  Object.entries(changes).some(([field, value]) => value !== undefined && !OWN.includes(field));

/** Only what was named; the fields are picked one by one, whatever else came with them. */
export async function readTeam(
  stores: AccountStores,
  authority: Authority,
  changes: TeamChanges,
  present: Team,
  isGuardrail: (name: string) => boolean,
): Promise<Partial<Team>> {
  const { name, models, modelAliases, memberDefaults, guardrails, tags, metadata } = changes;
  if (changes.budgetId !== undefined) requireOperator(authority, "budgetId");
  const shared = await findShared(stores, authority, changes);
  requireFitting(shared, "teams");
  return {
    ...readLimits(changes, present, shared),
    ...readParts(changes, present, shared),
    ...(memberDefaults === undefined ? {} : readDefaults(memberDefaults, present)),
    ...(name === undefined ? {} : { name: cleanName(name) }),
    ...(models === undefined ? {} : { models: [...new Set(models ?? [])] }),
    ...(modelAliases === undefined ? {} : { modelAliases: modelAliases ?? {} }),
    ...(guardrails === undefined ? {} : { guardrails: readGuardrailNames(guardrails ?? [], isGuardrail) }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags ?? [])] }),
    ...(metadata === undefined ? {} : { metadata: readMetadata(metadata ?? {}) }),
  };
}

function readDefaults(settings: MemberLimits, present: Team): Partial<MemberDefaults> {
  const before = { budget: present.memberBudget, budgetWindow: present.memberBudgetWindow };
  const { budget, budgetWindow, rpmLimit, tpmLimit } = memberLimits(settings, before);
  return {
    ...(budget === undefined ? {} : { memberBudget: budget }),
    ...(budgetWindow === undefined ? {} : { memberBudgetWindow: budgetWindow }),
    ...(rpmLimit === undefined ? {} : { memberRpmLimit: rpmLimit }),
    ...(tpmLimit === undefined ? {} : { memberTpmLimit: tpmLimit }),
  };
}
