import type { RouterConfig, RoutingRule, RoutingStrategy } from "../../config/router-config.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { isWildcard } from "../../lib/wildcard.ts";
import { shareName } from "../attempts/pick.ts";
import type { DeploymentState } from "./deployment-state.ts";
import type { BreakerSettings } from "./failure-kinds.ts";
import type { UpstreamBudget } from "./upstream-budget.ts";

/** A deployment with what a choice needs to know about it, worked out once. */
export interface Member {
  readonly deployment: Deployment;
  readonly state: DeploymentState;
  /** Its part of the calls, beside those of the others. */
  readonly share: number;
  /** Lower levels first; those that name none come last. */
  readonly order: number;
  readonly tags: readonly string[];
  readonly region: string | null;
  /** When it rests, and for how long. */
  readonly resting: BreakerSettings;
  /** What it spends from; null for most. */
  readonly budgets: readonly UpstreamBudget[] | null;
}

/** A list of deployments as the router sees it, until the settings or an operator's switches change. */
export interface GroupView {
  readonly settings: RouterConfig;
  readonly version: number;
  readonly members: readonly Member[];
  readonly rule: RoutingRule;
  readonly levels: boolean;
  /** Deployments say where they are, so that a call can ask for a region. */
  readonly regional: boolean;
  /** None is switched off. */
  readonly allOn: boolean;
  /** What is usual for a first byte here, of streams and of plain answers. */
  usualStreamMs: number;
  usualPlainMs: number;
}

export function viewGroup(
  deployments: readonly Deployment[],
  settings: RouterConfig,
  version: number,
  stateOf: (id: string) => DeploymentState,
  budgetsOf: (deployment: Deployment) => Member["budgets"] = () => null,
): GroupView {
  const states = deployments.map(({ id }) => stateOf(id));
  const shares = sharesOf(deployments, states);
  const members = deployments.map((deployment, index): Member => {
    const { order, tags, region_name: region } = deployment.params;
    return {
      deployment,
      state: states[index] ?? stateOf(deployment.id),
      share: shares[index] ?? 1,
      order: typeof order === "number" ? order : Number.POSITIVE_INFINITY,
      tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : [],
      region: typeof region === "string" ? region : null,
      resting: restingOf(deployment, settings),
      budgets: budgetsOf(deployment),
    };
  });
  return {
    settings,
    version,
    members,
    rule: ruleFor(deployments, settings),
    regional: members.some(({ region }) => region !== null),
    levels: members.some(({ order }) => order !== members[0]?.order),
    allOn: states.every(({ enabled }) => enabled),
    usualStreamMs: usual(states.map(({ streams }) => streams.lastMs)),
    usualPlainMs: usual(states.map(({ plain }) => plain.lastMs)),
  };
}

/** For those that are only ever switched by hand. */
const NEVER_RESTS: BreakerSettings = {
  cooldownSeconds: 0,
  allowedFails: null,
  allowedFailsPolicy: {},
  disableCooldowns: true,
};

/** Models behind a pattern fail for reasons of their own: one of them must not switch off all. */
function restingOf({ group, params }: Deployment, settings: RouterConfig): BreakerSettings {
  if (isWildcard(group)) return NEVER_RESTS;
  const { cooldown_time: own } = params;
  return typeof own === "number" ? { ...settings, cooldownSeconds: own } : settings;
}

/** Weights that an operator set at run time win; beside them, one that has none counts as 1. */
function sharesOf(deployments: readonly Deployment[], states: readonly DeploymentState[]): number[] {
  const given = states.some(({ weight }) => weight !== null);
  const counted = given ? "weight" : shareName(deployments[0]);
  if (counted === undefined) return deployments.map(() => 1);
  return deployments.map(({ params }, index) => {
    const share = states[index]?.weight ?? params[counted] ?? (given ? 1 : 0);
    return typeof share === "number" ? Math.max(0, share) : 0;
  });
}

/** A group of three or more has something to choose from; an operator who writes weights wants just those. */
function ruleFor(deployments: readonly Deployment[], settings: RouterConfig): RoutingRule {
  const names = namesOf(deployments[0]);
  const own = settings.routingGroups.find(({ models }) => names.some((name) => models.includes(name)));
  if (own) return own;
  const weighted = deployments.some(({ params }) => typeof params.weight === "number");
  const byDefault: RoutingStrategy = deployments.length > 2 && !weighted ? "peak-latency" : "simple-shuffle";
  return { strategy: settings.routingStrategy ?? byDefault, args: settings.routingStrategyArgs };
}

/** A model behind a pattern is also known by what it is upstream, since nobody calls the pattern. */
function namesOf(first: Deployment | undefined): readonly string[] {
  if (!first) return [];
  const { group, provider, upstreamModel } = first;
  return isWildcard(group) ? [group, `${provider}/${upstreamModel}`, upstreamModel] : [group];
}

function usual(times: readonly number[]): number {
  const known = times.filter((time) => time > 0);
  return known.length === 0 ? 0 : known.reduce((sum, time) => sum + time, 0) / known.length;
}
