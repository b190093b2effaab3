import type { FallbackKind, OperatorRule, OperatorRuleKind } from "../accounts/operator-rule.ts";
import type { Config, GroupAlias } from "../config/config.ts";
import type { FallbackTable } from "../config/router-config.ts";
import { type GuardrailDefinition, type GuardrailParams, toGuardrail } from "../contract/guardrails.ts";

/** What the values of rules hold, by kind. They were checked when they were written. */
export interface GuardrailValue {
  readonly params: GuardrailParams;
  readonly info: Readonly<Record<string, unknown>>;
}
export interface FallbackValue {
  readonly targets: readonly string[];
}
export interface MarkupValue {
  readonly percent: number;
}

/** The mark-up has no name of its own. */
export const MARKUP_NAME = "*";

/**
 * The configuration with what operators have set at run time. Aliases, fallbacks and the mark-up take the place of the file's; guardrails
 * stand beside the file's, which nothing here takes away.
 */
export function applyRules(config: Config, rules: readonly OperatorRule[]): Config {
  if (!config.storeModels || rules.length === 0) return config;
  const { router, billing } = config;
  const [markup] = valuesOf<MarkupValue>(rules, "markup");
  return {
    ...config,
    guardrails: [...config.guardrails, ...storedGuardrails(config, rules)],
    groupAliases: { ...config.groupAliases, ...table<GroupAlias>(rules, "alias") },
    billing: { ...billing, markupPercent: markup?.[1].percent ?? billing.markupPercent },
    router: {
      ...router,
      fallbacks: { ...router.fallbacks, ...fallbacksOf(rules, "general") },
      contextWindowFallbacks: { ...router.contextWindowFallbacks, ...fallbacksOf(rules, "context_window") },
      contentPolicyFallbacks: { ...router.contentPolicyFallbacks, ...fallbacksOf(rules, "content_policy") },
    },
  };
}

/** One whose name the file has taken since is left out: the file's looks in its place. */
function storedGuardrails({ guardrails }: Config, rules: readonly OperatorRule[]): GuardrailDefinition[] {
  const taken = new Set(guardrails.map(({ name }) => name));
  return valuesOf<GuardrailValue>(rules, "guardrail")
    .filter(([name]) => !taken.has(name))
    .map(([name, { params, info }]) => toGuardrail(name, params, info));
}

const fallbacksOf = (rules: readonly OperatorRule[], kind: FallbackKind): FallbackTable =>
  Object.fromEntries(
    valuesOf<FallbackValue>(rules, `${kind}_fallbacks`).map(([group, { targets }]) => [group, targets]),
  );

const table = <T>(rules: readonly OperatorRule[], kind: OperatorRuleKind): Record<string, T> =>
  Object.fromEntries(valuesOf<T>(rules, kind));

const valuesOf = <T>(rules: readonly OperatorRule[], kind: OperatorRuleKind): (readonly [string, T])[] =>
  rules.filter((rule) => rule.kind === kind).map(({ name, value }) => [name, value as T] as const);
