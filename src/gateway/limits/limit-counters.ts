import type { CallerLimit } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { Counted, Meter, MeterOwner } from "../../limits/meter.ts";
import { meterHeaders } from "./limit-headers.ts";
import { LimitedModels } from "./model-patterns.ts";

/** Limits of the operator's that the configuration sets; null means none. */
export interface LimitRules {
  /** Calls at one time, of everybody together. */
  readonly globalParallel: number | null;
  /** Calls at one time of each deployment that says nothing of its own. */
  readonly deploymentParallel: number | null;
  /** Of each end user that callers name. */
  readonly endUser: Rates | null;
  /** Of models, whoever calls them. */
  readonly groups: Readonly<Record<string, Rates>> | null;
}

export interface Rates {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly parallel: number | null;
}

type ModelRates = NonNullable<CallerLimit["models"]>;

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
  private readonly ofGroups = new WeakMap<Readonly<Record<string, Rates>>, GroupMeters>();

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

  /** Those of a request that names no model. */
  ofRequests(limits: readonly CallerLimit[]): readonly Meter[] {
    return limits.flatMap((limit) => this.ofLimits.of(limit)).filter(({ counted }) => counted === "requests");
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

  group({ groups }: LimitRules, name: string, deployment: Deployment): readonly Meter[] {
    if (groups === null) return NONE;
    let known = this.ofGroups.get(groups);
    if (!known) {
      known = new GroupMeters(groups);
      this.ofGroups.set(groups, known);
    }
    return known.of(name, deployment);
  }

  endUser(rates: Rates, organizationId: string | null, user: string): readonly Meter[] {
    return metersOf(`end_user:${organizationId ?? ""}:${user}`, { scope: "end_user", model: null }, rates);
  }
}

class GroupMeters {
  private readonly models: LimitedModels;
  private readonly made = new Map<string, readonly Meter[]>();

  constructor(private readonly groups: Readonly<Record<string, Rates>>) {
    this.models = new LimitedModels(Object.keys(groups));
  }

  of(name: string, deployment: Deployment): readonly Meter[] {
    const counted = this.models.countedAs(name, deployment);
    if (counted === null) return NONE;
    const known = this.made.get(counted);
    if (known) return known;
    const rates = this.groups[this.models.entryOf(counted)];
    const made = rates ? metersOf(`group:${counted}`, { scope: "model_group", model: null }, rates) : NONE;
    this.made.set(counted, made);
    return made;
  }
}

class CallerMeters {
  private readonly ofAllModels: readonly Meter[];
  /** Null for most callers, who have limits for all models alike. */
  private readonly withModel: MetersWithModel | null;

  constructor(limits: readonly CallerLimit[], ofLimits: LimitMeters) {
    this.ofAllModels = limits.flatMap((limit) => ofLimits.of(limit));
    const models = limits.find((limit) => limit.models)?.models;
    this.withModel = models ? new MetersWithModel(limits, models, ofLimits) : null;
  }

  of(name: string, deployment: Deployment): readonly Meter[] {
    return this.withModel?.of(name, deployment) ?? this.ofAllModels;
  }
}

/** Those of a model stand behind those of whose they are, which is a key. Few models make a difference, so there are few lists. */
class MetersWithModel {
  private readonly requests: LimitedModels;
  private readonly tokens: LimitedModels;
  /** By what the requests of a model are counted as, and its tokens: each may go by an entry of its own. */
  private readonly made = new Map<string | null, Map<string | null, readonly Meter[]>>();

  constructor(
    private readonly limits: readonly CallerLimit[],
    private readonly models: ModelRates,
    private readonly ofLimits: LimitMeters,
  ) {
    const having = (kind: "rpm" | "tpm") => Object.keys(models).filter((name) => models[name]?.[kind] !== undefined);
    this.requests = new LimitedModels(having("rpm"));
    this.tokens = new LimitedModels(having("tpm"));
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
    const rateOf = (model: string, kind: "rpm" | "tpm", limited: LimitedModels) =>
      this.models[limited.entryOf(model)]?.[kind] ?? null;
    const metersAs = (model: string, rpm: number | null, tpm: number | null) =>
      metersOf(`${scope}:${id}:${model}`, { scope, model }, { rpm, tpm, parallel: null });
    return [
      ...(requests === null ? [] : metersAs(requests, rateOf(requests, "rpm", this.requests), null)),
      ...(tokens === null ? [] : metersAs(tokens, null, rateOf(tokens, "tpm", this.tokens))),
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
