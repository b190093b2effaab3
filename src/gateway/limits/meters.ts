import type { CallerLimit } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { Counted, Meter, MeterOwner } from "../../limits/meter.ts";
import { ModelLimits } from "./model-limits.ts";
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

class CallerMeters {
  private readonly ofAllModels: readonly Meter[];
  /** Null for most callers, who have limits for all models alike. */
  private readonly withModel: MetersWithModel | null;

  constructor(limits: readonly CallerLimit[], ofLimits: LimitMeters) {
    this.ofAllModels = limits.flatMap((limit) => ofLimits.of(limit));
    this.withModel = limits.some(({ models }) => models) ? new MetersWithModel(limits, ofLimits) : null;
  }

  of(name: string, deployment: Deployment): readonly Meter[] {
    return this.withModel?.of(name, deployment) ?? this.ofAllModels;
  }
}

/** Those of a model stand behind those of whose they are, which is a key. Few models make a difference, so there are few lists. */
class MetersWithModel {
  private readonly requests: ModelLimits;
  private readonly tokens: ModelLimits;
  /** By what the requests of a model are counted as, and its tokens: each may go by an entry of its own. */
  private readonly made = new Map<string | null, Map<string | null, readonly Meter[]>>();

  constructor(
    private readonly limits: readonly CallerLimit[],
    private readonly ofLimits: LimitMeters,
  ) {
    const models = limits.find((limit) => limit.models)?.models ?? {};
    this.requests = new ModelLimits(models, "rpm");
    this.tokens = new ModelLimits(models, "tpm");
  }

  of(name: string, deployment: Deployment): readonly Meter[] {
    const requests = this.requests.countedAs(name, deployment);
    const tokens = this.tokens.countedAs(name, deployment);
    let made = this.made.get(requests);
    if (!made) {
      made = new Map();
      this.made.set(requests, made);
    }
    const known = made.get(tokens);
    if (known) return known;
    const meters = this.limits.flatMap((limit) => {
      const own = this.ofLimits.of(limit);
      return limit.models ? [...own, ...this.ofModel(limit, requests, tokens)] : own;
    });
    made.set(tokens, meters);
    return meters;
  }

  private ofModel({ scope, id }: CallerLimit, requests: string | null, tokens: string | null): Meter[] {
    const metersAs = (model: string | null, rpm: number | null, tpm: number | null): Meter[] =>
      model === null ? [] : metersOf(`${scope}:${id}:${model}`, { scope, model }, { rpm, tpm, parallel: null });
    return [
      ...metersAs(requests, this.requests.limitOf(requests), null),
      ...metersAs(tokens, null, this.tokens.limitOf(tokens)),
    ];
  }
}

/** The keys of a team share what limits the team and its organization, and so its meters: a third of what is kept of each key. */
class LimitMeters {
  private readonly made = new WeakMap<CallerLimit, readonly Meter[]>();

  of(limit: CallerLimit): readonly Meter[] {
    const { scope, id } = limit;
    const known = this.made.get(limit);
    if (known) return known;
    const made = metersOf(`${scope}:${id}`, { scope, model: null }, limit);
    this.made.set(limit, made);
    return made;
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
