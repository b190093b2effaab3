import { type CallableNames, readTargets } from "./fallbacks.ts";
import { keyTable } from "./keys/key-table.ts";
import { type NumberLimits, readNumber } from "./read-value.ts";
import { type GroupRouting, ROUTING_STRATEGIES } from "./router-config.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";
import { childPath, describe, isNull, type Node } from "./tree.ts";

/** How a deployment of a group is chosen, for all groups and for some of them. */
export function readBalancing(router: Section, names: CallableNames) {
  const checks = readChecks(router);
  return {
    routingStrategy: router.choice("routing_strategy", ROUTING_STRATEGIES),
    routingStrategyArgs: readArgs(router),
    routingGroups: readGroups(router, names),
    sessionAffinity: checks.has("session_affinity") || checks.has("deployment_affinity"),
    promptAffinity: checks.has("prompt_caching"),
    preCallChecks: router.boolean("enable_pre_call_checks") ?? false,
    tagFiltering: router.boolean("enable_tag_filtering") ?? false,
    tagMatchAny: router.boolean("tag_filtering_match_any") ?? true,
  };
}

/** Those of `optional_pre_call_checks` that have an effect. */
const CHECKS = new Set([
  "prompt_caching",
  "session_affinity",
  "deployment_affinity",
  "enforce_model_rate_limits",
  "router_budget_limiting",
]);

function readChecks(router: Section): ReadonlySet<string> {
  const names = router.texts("optional_pre_call_checks") ?? [];
  for (const name of names) {
    if (!CHECKS.has(name)) router.warn("optional_pre_call_checks", `\`${name}\` has no effect`);
  }
  return new Set(names);
}

const GROUP = keyTable({ served: "group_name models routing_strategy routing_strategy_args" });

function readGroups(router: Section, names: CallableNames): readonly GroupRouting[] {
  const field = router.field("routing_groups");
  if (field === null) return [];
  if (field.node.kind !== "list") {
    router.fault("routing_groups", `expected a list of groups, found ${describe(field.node)}`);
    return [];
  }
  const taken = new Set<string>();
  return field.node.items.flatMap((item, index) => {
    const path = childPath(field.path, index);
    const group = readGroup(router, item, path, names);
    for (const [at, model] of (group?.models ?? []).entries()) {
      if (taken.has(model)) warnOfTaken(router, item, childPath(`${path}.models`, at), model);
      taken.add(model);
    }
    return group ?? [];
  });
}

function warnOfTaken({ scope }: Section, item: Node, path: string, model: string): void {
  scope.report.warn(item.at, path, `has no effect: \`${shown(model)}\` has the strategy of a group above`);
}

function readGroup(router: Section, item: Node, path: string, names: CallableNames): GroupRouting | null {
  const group = new Section(router.scope).add(item, path, "routing_groups", GROUP);
  if (item.kind !== "map") return null;
  group.require("models", item.at, path, "; it lists the groups that the strategy is for");
  group.require("routing_strategy", item.at, path);
  const strategy = group.choice("routing_strategy", ROUTING_STRATEGIES);
  const field = group.field("models");
  const models = field && readTargets(group, field.node, field.path, names);
  return strategy === null || models === null ? null : { strategy, models, args: readArgs(group) };
}

/** What the strategies go by. A decay of nothing would have no news to compare. */
const ARGS: Readonly<Record<string, NumberLimits>> = {
  ttl: { unit: "seconds" },
  lowest_latency_buffer: {},
  max_latency_list_size: { integer: true },
  decay: { min: 0.001, unit: "seconds" },
};

function readArgs(section: Section): Readonly<Record<string, number>> {
  const args = section.map("routing_strategy_args");
  if (args === null) return {};
  const { scope } = section;
  const numbers = [...args.node.entries].flatMap(([key, { value, keyAt }]) => {
    const path = childPath(args.path, key);
    const limits = Object.hasOwn(ARGS, key) ? ARGS[key] : undefined;
    if (limits === undefined)
      scope.report.warn(keyAt, path, `has no effect; known are ${Object.keys(ARGS).join(", ")}`);
    const number = limits === undefined || isNull(value) ? null : readNumber(scope, value, path, limits);
    return number === null ? [] : [[key, number] as const];
  });
  return Object.fromEntries(numbers);
}
