import { BUDGET_DURATIONS, type BudgetWindow, parseBudgetWindow } from "../contract/duration.ts";
import { GatewayError } from "../contract/errors.ts";
import { keptName } from "../contract/usage-row.ts";
import { type Authority, requireOperator } from "./authority.ts";
import { NO_LIMITS } from "./no-limits.ts";
import type { Budget, FurtherBudget, Limits, ModelLimits } from "./records.ts";
import type { AccountStores } from "./store.ts";

/** What people may set of limits. What is left out stays as it is; null empties the field. Amounts are in nano-USD. */
export interface LimitSettings {
  readonly budget?: number | null | undefined;
  readonly softBudget?: number | null | undefined;
  readonly budgetWindow?: BudgetWindow | null | undefined;
  readonly rpmLimit?: number | null | undefined;
  readonly tpmLimit?: number | null | undefined;
  readonly parallelLimit?: number | null | undefined;
  /** A budget that others may have too: all limits are then its; null lets go of it. */
  readonly budgetId?: string | null | undefined;
}

export type LimitFields = Limits & { readonly budgetId: string | null };
type LimitChanges = { -readonly [Field in keyof LimitFields]?: LimitFields[Field] };

const OWN = ["budget", "softBudget", "budgetWindow", "rpmLimit", "tpmLimit", "parallelLimit"] as const;

/** Settings as they are stored. `shared` is the budget that they name, undefined where they name none. */
export function readLimits(
  settings: LimitSettings,
  present: Partial<LimitFields>,
  shared: Budget | null | undefined,
): Partial<LimitFields> {
  if (shared) {
    const own = OWN.find((field) => settings[field] !== undefined && settings[field] !== null);
    if (own) throw invalid(own, "it comes from the budget; leave it out.");
    return { ...limitsOf(shared), budgetId: shared.id };
  }
  const held = present.budgetId ?? null;
  if (held !== null && shared === undefined) {
    // Null too: it would lift what the budget sets, for people who cannot let go of the budget itself.
    const changed = OWN.find((field) => settings[field] !== undefined && !isSame(field, settings, present));
    if (changed) throw invalid(changed, `it comes from the budget \`${held}\`; change that, or let go of it first.`);
    return {};
  }
  const freed: LimitChanges = held !== null && shared === null ? { ...NO_LIMITS, budgetId: null } : {};
  const changes: LimitChanges = { ...freed, ...readBudget(settings, { ...present, ...freed }) };
  const { softBudget, rpmLimit, tpmLimit, parallelLimit } = settings;
  if (softBudget !== undefined) changes.softBudget = softBudget === null ? null : BigInt(softBudget);
  if (rpmLimit !== undefined) changes.rpmLimit = rpmLimit;
  if (tpmLimit !== undefined) changes.tpmLimit = tpmLimit;
  if (parallelLimit !== undefined) changes.parallelLimit = parallelLimit;
  return changes;
}

/** Pages and scripts send back whole records, with what they have read. */
function isSame(field: (typeof OWN)[number], settings: LimitSettings, present: Partial<LimitFields>): boolean {
  const [given, kept] = [settings[field] ?? null, present[field] ?? null];
  // On the wire of scripts `total` is no window.
  if (field === "budgetWindow") return readWindow(String(given ?? "total")) === (kept ?? "total");
  return typeof kept === "bigint" && typeof given === "number" ? BigInt(given) === kept : given === kept;
}

export const limitsOf = ({ budget, softBudget, budgetWindow, rpmLimit, tpmLimit, parallelLimit }: Limits): Limits => ({
  budget,
  softBudget,
  budgetWindow,
  rpmLimit,
  tpmLimit,
  parallelLimit,
});

/**
 * The budget that settings name; undefined where they say nothing of one. To people the operator's are not there. To be called in
 * the transaction that gives its limits to somebody: a change of it would miss them, or they it. What the operator has given
 * them, `held`, only the operator takes away.
 */
export async function findShared(
  stores: AccountStores,
  authority: Authority,
  { budgetId }: LimitSettings,
  held: string | null | undefined = null,
): Promise<Budget | null | undefined> {
  if (budgetId === null && held !== null) requireOperator(authority, "budgetId");
  if (budgetId === undefined || budgetId === null) return budgetId;
  const budget = authority.kind === "operator" ? await stores.budgets.findSettled(budgetId) : null;
  if (!budget) throw new GatewayError("not_found", "There is no such budget.");
  return budget;
}

function readWindow(text: string): BudgetWindow {
  const window = parseBudgetWindow(text);
  if (window !== null) return window;
  throw invalid("budgetWindow", `must be ${BUDGET_DURATIONS}, or hour, day, week, month or total.`);
}

/** A budget, hard or soft, has a window, `total` unless told, and there is no window without one. */
function readBudget(settings: LimitSettings, present: Partial<LimitFields>): LimitChanges {
  if ([settings.budget, settings.softBudget, settings.budgetWindow].every((one) => one === undefined)) return {};
  const given = settings.budget;
  const budget = given === undefined ? (present.budget ?? null) : given === null ? null : BigInt(given);
  const soft = settings.softBudget === undefined ? (present.softBudget ?? null) : settings.softBudget;
  if (budget !== null || soft !== null) {
    const { budgetWindow: window } = settings;
    const kept = window == null ? window : readWindow(window);
    return { budget, budgetWindow: (kept === undefined ? present.budgetWindow : kept) ?? "total" };
  }
  if (settings.budgetWindow) throw invalid("budgetWindow", "it needs a `budget` or a `softBudget`.");
  return { budget: null, budgetWindow: null };
}

/** Limits with several entries. A list or map replaces all entries; null removes them. */
export interface PartSettings {
  /** Keys are names of models. */
  readonly modelLimits?: ModelLimits | null | undefined;
  readonly furtherBudgets?: readonly FurtherBudget[] | null | undefined;
}

interface Parts {
  readonly modelLimits: ModelLimits;
  readonly furtherBudgets: readonly FurtherBudget[];
}

type Present = Partial<Parts> & { readonly budgetId?: string | null };

/** Returns the entries to store. `shared` is the budget that the settings name; undefined if they name none. */
export function readParts(
  { modelLimits, furtherBudgets }: PartSettings,
  present: Present,
  shared: Budget | null | undefined,
): Partial<Parts> {
  const read = furtherBudgets === null ? null : furtherBudgets?.map(readFurther);
  if (read) requireDistinct(read);
  const settings = { modelLimits, furtherBudgets: read };
  const limits = partOf("modelLimits", { settings, present, shared, none: {} });
  const budgets = partOf("furtherBudgets", { settings, present, shared, none: [] });
  return {
    ...(limits === undefined ? {} : { modelLimits: limits }),
    ...(budgets === undefined ? {} : { furtherBudgets: budgets }),
  };
}

interface PartInput<Name extends keyof Parts> {
  readonly settings: PartSettings;
  readonly present: Present;
  readonly shared: Budget | null | undefined;
  readonly none: Parts[Name];
}

/** Undefined if the part does not change. */
function partOf<Name extends keyof Parts>(name: Name, input: PartInput<Name>): Parts[Name] | undefined {
  const { settings, present, shared, none } = input;
  const given = settings[name] as Parts[Name] | null | undefined;
  const isHeld = (present.budgetId ?? null) !== null;
  const isChanged = given !== undefined && !Bun.deepEquals(given ?? none, present[name] ?? none);
  if (shared ? Object.keys(given ?? none).length > 0 : shared === undefined && isHeld && isChanged) {
    throw invalid(name, "they come from the budget; leave them out.");
  }
  if (shared) return shared[name];
  if (given !== undefined) return given ?? none;
  return shared === null && isHeld ? none : undefined;
}

function readFurther({ limit, window, model }: FurtherBudget): FurtherBudget {
  const read = parseBudgetWindow(window);
  if (read === null) throw invalid("furtherBudgets", `\`window\` must be ${BUDGET_DURATIONS}.`);
  if (model?.includes("*")) throw invalid("furtherBudgets", `\`${model}\` is a pattern; name each model.`);
  return { limit, window: read, model: model === null ? null : keptName(model) };
}

function requireDistinct(budgets: readonly FurtherBudget[]): void {
  const seen = new Set<string>();
  for (const { window, model } of budgets) {
    const name = JSON.stringify([model, model === null ? window : null]);
    if (seen.has(name)) {
      const what = model === null ? `budget for the window ${window}` : `budget for the model \`${model}\``;
      throw invalid("furtherBudgets", `there is more than one ${what}.`);
    }
    seen.add(name);
  }
}

/**
 * Changes as the log has them. JSON has no large integers, and amounts stay below what a number holds exactly; of metadata
 * only that it changed is told.
 */
export const plainAmounts = (changes: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [
      name,
      name === "metadata" && value !== undefined ? "changed" : typeof value === "bigint" ? Number(value) : value,
    ]),
  );

/** The same with what was there before, for those who read the log to find out what a change has changed. */
export function plainChanges<T extends object>(before: T, changes: Partial<T>): Record<string, unknown> {
  const names = (Object.keys(changes) as (keyof T)[]).filter((name) => name !== "metadata");
  return {
    ...plainAmounts(changes),
    before: plainAmounts(Object.fromEntries(names.map((name) => [name, before[name]]))),
  };
}

const invalid = (param: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `${param}: ${reason}`, { param });
