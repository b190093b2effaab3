import { BUDGET_DURATIONS, parseBudgetDuration } from "../contract/duration.ts";
import { BUDGET_USD_MAX, nanoUsd } from "../contract/money.ts";
import { PROVIDER_IDS } from "../contract/provider-ids.ts";
import { keptName, NAME_CHARS_MAX } from "../contract/usage-row.ts";
import { didYouMean } from "../lib/spelling/suggest.ts";
import { keyTable } from "./keys/key-table.ts";
import type { UpstreamBudgetTerms } from "./router-config.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";
import { childPath, type Entry, isNull } from "./tree.ts";

type Terms = Readonly<Record<string, UpstreamBudgetTerms>>;

/** Each is known by two names, the usual one first. */
interface Names {
  readonly limit: readonly [string, string];
  readonly period: readonly [string, string];
}

const BUDGET = keyTable({ served: "budget_limit time_period max_budget budget_duration" });
const OF_PROVIDERS: Names = { limit: ["budget_limit", "max_budget"], period: ["time_period", "budget_duration"] };
const OF_TAGS: Names = { limit: ["max_budget", "budget_limit"], period: ["budget_duration", "time_period"] };
const KNOWN: ReadonlySet<string> = new Set(PROVIDER_IDS);

/** What may be spent at each provider in each period. */
export function readProviderBudgets(router: Section): Terms {
  const budgets = readBudgets(router, "provider_budget_config", OF_PROVIDERS, (provider, entry, path) => {
    if (KNOWN.has(provider)) return;
    const message = `unknown provider \`${shown(provider)}\`${didYouMean(provider, PROVIDER_IDS)}`;
    router.scope.report.fault(entry.keyAt, path, message);
  });
  return budgets ?? {};
}

/** What calls with a tag may spend in each period. */
export function readTagBudgets(router: Section, gateway: Section): Terms {
  const read = (section: Section) =>
    readBudgets(section, "tag_budget_config", OF_TAGS, (tag, entry, path) => {
      // Another one is made shorter in calls, and would never be found.
      if (tag !== "" && tag === keptName(tag)) return;
      const message = `a tag has 1 to ${NAME_CHARS_MAX} characters, none of them zero`;
      section.scope.report.fault(entry.keyAt, path, message);
    });
  const fromGateway = read(gateway);
  return read(router) ?? fromGateway ?? {};
}

function readBudgets(
  section: Section,
  key: string,
  names: Names,
  check: (name: string, entry: Entry, path: string) => void,
): Terms | null {
  const written = section.map(key);
  if (written === null) return null;
  const budgets = [...written.node.entries].flatMap(([name, entry]) => {
    const path = childPath(written.path, name);
    check(name, entry, path);
    const terms = readBudget(new Section(section.scope).add(entry.value, path, key, BUDGET), names, entry, path);
    return terms === null ? [] : [[name, terms] as const];
  });
  return Object.fromEntries(budgets);
}

function readBudget(budget: Section, names: Names, { value, keyAt }: Entry, path: string): UpstreamBudgetTerms | null {
  const limitKey = nameIn(budget, names.limit);
  const periodKey = nameIn(budget, names.period);
  // With nothing said of it there would be no budget, and nobody would be told.
  if (value.kind === "map" || isNull(value)) {
    budget.require(limitKey, keyAt, path, "; it says how many USD may be spent");
    budget.require(periodKey, keyAt, path, "; it says after what time the spending begins anew");
  }
  const limit = budget.number(limitKey, { max: BUDGET_USD_MAX });
  const period = budget.text(periodKey);
  const window = period === null ? null : parseBudgetDuration(period);
  if (period !== null && window === null) budget.fault(periodKey, `must be ${BUDGET_DURATIONS}`);
  return limit === null || period === null || window === null ? null : { limit: nanoUsd(limit), period, window };
}

/** The name that is used; one of them is enough. */
function nameIn(budget: Section, [usual, other]: readonly [string, string]): string {
  if (budget.field(other) === null) return usual;
  if (budget.field(usual) !== null) budget.fault(other, `means the same as \`${usual}\`; keep one of them`);
  return other;
}
