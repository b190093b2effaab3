import type { CallerLimit } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { isWildcard } from "../../lib/wildcard.ts";
import type { Counted, Meter, MeterOwner } from "../../limits/meter.ts";
import { meterHeaders } from "./tell-limits.ts";

/** Limits of the operator's that the configuration sets; null means none. */
export interface LimitRules {
  /** Calls at one time, of everybody together. */
  readonly globalParallel: number | null;
  /** Calls at one time of each deployment that says nothing of its own. */
  readonly deploymentParallel: number | null;
  /** Of each end user that callers name. */
  readonly endUser: Rates | null;
  /** Of groups, whoever calls them. */
  readonly groups: Readonly<Record<string, Rates>> | null;
}

export interface Rates {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly parallel: number | null;
}

const NONE: readonly Meter[] = [];

/** The meters of callers and deployments; made once for each list of limits, since calls ask for them every time. */
export class Meters {
  private readonly ofCallers = new WeakMap<readonly CallerLimit[], CallerMeters>();
  private readonly ofLimits = new LimitMeters();
  private readonly ofDeployments = new WeakMap<
    Deployment,
    { readonly rules: LimitRules; readonly meters: readonly Meter[] }
  >();
  private readonly ofEverybody = new WeakMap<LimitRules, readonly Meter[]>();
  private readonly ofGroups = new WeakMap<Rates, readonly Meter[]>();

  /** `name` is what the caller calls the model. */
  ofCaller(limits: readonly CallerLimit[], name: string, deployment: Deployment): readonly Meter[] {
    if (limits.length === 0) return NONE;
    let known = this.ofCallers.get(limits);
    if (!known) {
      known = new CallerMeters(limits, this.ofLimits);
      this.ofCallers.set(limits, known);
    }
    return known.of(name, deployment);
  }

  ofDeployment(deployment: Deployment, rules: LimitRules): readonly Meter[] {
    const known = this.ofDeployments.get(deployment);
    if (known?.rules === rules) return known.meters;
    const { rpm, tpm, max_parallel_requests: parallel } = deployment.params;
    const rates = {
      rpm: limitOf(rpm),
      tpm: limitOf(tpm),
      parallel: limitOf(parallel) ?? rules.deploymentParallel,
    };
    const meters = metersOf(`deployment:${deployment.id}`, { scope: "deployment", model: null }, rates);
    this.ofDeployments.set(deployment, { rules, meters });
    return meters;
  }

  everybody(rules: LimitRules): readonly Meter[] {
    if (rules.globalParallel === null) return NONE;
    const known = this.ofEverybody.get(rules);
    if (known) return known;
    const rates = { rpm: null, tpm: null, parallel: rules.globalParallel };
    const made = metersOf("everybody", { scope: "everybody", model: null }, rates);
    this.ofEverybody.set(rules, made);
    return made;
  }

  group({ groups }: LimitRules, name: string): readonly Meter[] {
    const rates = groups !== null && Object.hasOwn(groups, name) ? groups[name] : undefined;
    if (!rates) return NONE;
    const known = this.ofGroups.get(rates);
    if (known) return known;
    const made = metersOf(`group:${name}`, { scope: "model_group", model: null }, rates);
    this.ofGroups.set(rates, made);
    return made;
  }

  endUser(rates: Rates, organizationId: string | null, user: string): readonly Meter[] {
    return metersOf(`end_user:${organizationId ?? ""}:${user}`, { scope: "end_user", model: null }, rates);
  }
}

/** Only models that have limits of their own make a difference, so there are few lists. */
class CallerMeters {
  private readonly byModel = new Map<string, readonly Meter[]>();
  /** Most callers have limits for all models alike. */
  private readonly withModels: readonly CallerLimit[];

  constructor(
    private readonly limits: readonly CallerLimit[],
    private readonly ofLimits: LimitMeters,
  ) {
    this.withModels = limits.filter(({ models }) => models);
  }

  of(name: string, deployment: Deployment): readonly Meter[] {
    const model = this.withModels.length === 0 ? "" : this.limitedName(name, deployment);
    const present = this.byModel.get(model);
    if (present) return present;
    const made = this.limits.flatMap((limit) => this.ofLimits.of(limit, model));
    this.byModel.set(model, made);
    return made;
  }

  /**
   * By its group, or by what the caller says. A model behind a pattern can be called by several names, so it also goes by
   * what it is upstream: else one of them would be without the limit of the other.
   */
  private limitedName(name: string, { group, provider, upstreamModel }: Deployment): string {
    if (this.hasOwn(group)) return group;
    if (this.hasOwn(name)) return name;
    if (!isWildcard(group)) return "";
    const full = `${provider}/${upstreamModel}`;
    return this.hasOwn(full) ? full : this.hasOwn(upstreamModel) ? upstreamModel : "";
  }

  private hasOwn(model: string): boolean {
    for (const { models } of this.withModels) if (models && Object.hasOwn(models, model)) return true;
    return false;
  }
}

/** The keys of a team share what limits the team and its organization, and so its meters: a third of what is kept of each key. */
class LimitMeters {
  private readonly ofAllModels = new WeakMap<CallerLimit, readonly Meter[]>();

  of(limit: CallerLimit, model: string): readonly Meter[] {
    const { scope, id, models } = limit;
    let own = this.ofAllModels.get(limit);
    if (!own) {
      own = metersOf(`${scope}:${id}`, { scope, model: null }, limit);
      this.ofAllModels.set(limit, own);
    }
    const rates = models && Object.hasOwn(models, model) ? models[model] : undefined;
    if (!rates) return own;
    const { rpm = null, tpm = null } = rates;
    return [...own, ...metersOf(`${scope}:${id}:${model}`, { scope, model }, { rpm, tpm, parallel: null })];
  }
}

function metersOf(id: string, owner: MeterOwner, { rpm, tpm, parallel }: Rates): Meter[] {
  const limits: readonly [Counted, number | null][] = [
    ["requests", rpm],
    ["tokens", tpm],
    ["parallel", parallel],
  ];
  return limits.flatMap(([counted, limit]) =>
    limit === null
      ? []
      : [{ id: `${counted}:${id}`, counted, limit, owner, headers: meterHeaders(owner, counted, limit) }],
  );
}

/** Of a deployment's parameters; less than one is no limit, since nothing could ever be called. */
const limitOf = (value: unknown): number | null => (typeof value === "number" && value >= 1 ? Math.floor(value) : null);
