import type { KeyCaller } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { type Decision, type Limiter, type Meter, type Permit, type Refusal, UNLIMITED } from "../../limits/meter.ts";
import { endUserOf } from "../pipeline/end-user.ts";
import { type LimitRules, Meters, type Rates } from "./limit-counters.ts";
import { deploymentAtCapacity, limitError } from "./limit-headers.ts";

/** After Redis has said that a deployment has no place for one more running call, it is asked again after this. */
const ASK_AGAIN_MS = 250;

/** A call that asks to be let in. */
export interface Asking {
  readonly call: { readonly caller: KeyCaller; readonly model: string; header(name: string): string | null };
  readonly request: Readonly<Record<string, unknown>>;
  /** One of those that serve the model. */
  readonly deployment: Deployment;
  /** Null for one that uses none: limits of tokens do not hold it up. */
  readonly tokens: number | null;
  /** A closer look at `tokens`, for a call that does not fit a limit of tokens. */
  readonly exactTokens?: () => Promise<number>;
}

/** The limits that a call meets: those of its caller when it comes, those of a deployment before it is sent there. */
export class CallLimits {
  private readonly meters = new Meters();
  /** Until when deployments are full, as far as that was told by others, and by which limits: others may hold by now. */
  private readonly full = new Map<string, { readonly untilMs: number; readonly meters: readonly Meter[] }>();

  constructor(
    private readonly limiter: Limiter,
    private readonly rules: () => LimitRules,
    private readonly nowMs: () => number,
  ) {}

  /** False for most callers: nothing has to be asked or counted for them. */
  applyTo({ limits }: KeyCaller): boolean {
    const rules = this.rules();
    return limits.length > 0 || rules.endUser !== null || rules.globalParallel !== null || rules.groups !== null;
  }

  /** Throws 429 with what is left and when to come back. */
  admit(asking: Asking): Permit | Promise<Permit> {
    const { tokens } = asking;
    const all = this.metersOf(asking);
    const meters = tokens === null ? all.filter(({ counted }) => counted !== "tokens") : all;
    const decision = this.limiter.take(meters, tokens ?? 0);
    if (decision instanceof Promise) return decision.then((told) => this.decide(asking, meters, told));
    return this.decide(asking, meters, decision);
  }

  /** Counts a request that calls no model in the limits of its caller. Throws 429. */
  async admitRequest({ limits }: KeyCaller): Promise<void> {
    const permit = admitted(await this.limiter.take(this.meters.ofRequests(limits), 0));
    await permit.end(0);
  }

  /** Throws 429 when the caller has no request left, and counts none. */
  requireRequest({ limits }: KeyCaller): void {
    const meters = this.meters.ofRequests(limits);
    const retryMs = meters.length === 0 ? 0 : this.limiter.roomInMs(meters, 0);
    if (retryMs > 0) throw limitError({ admitted: false, states: [], meter: meters[0] as Meter, retryMs });
  }

  private decide(asking: Asking, meters: readonly Meter[], decision: Decision): Permit | Promise<Permit> {
    const { exactTokens } = asking;
    const isTooLarge = !decision.admitted && meters.some(({ counted }) => counted === "tokens");
    return isTooLarge && exactTokens ? this.admitCounted(meters, exactTokens) : admitted(decision);
  }

  private async admitCounted(meters: readonly Meter[], exactTokens: () => Promise<number>): Promise<Permit> {
    return admitted(await this.limiter.take(meters, await exactTokens()));
  }

  /** In limits of tokens alone, of the caller and of where it is: for a part of a call that was let in. Throws 429. */
  admitPart(asking: Asking & { readonly tokens: number }): Permit | Promise<Permit> {
    const { deployment, tokens } = asking;
    const all = [...this.metersOf(asking), ...this.meters.ofDeployment(deployment, this.rules())];
    const meters = all.filter(({ counted }) => counted === "tokens");
    if (meters.length === 0) return UNLIMITED;
    const decision = this.limiter.take(meters, tokens);
    return decision instanceof Promise
      ? decision.then((told) => partOf(deployment, told))
      : partOf(deployment, decision);
  }

  /**
   * In the limits of a model which stands in for the one that was asked for, and those that a caller has for it; null where there
   * are none, or the call is let in by them already. Throws 429 as well.
   */
  admitTo(
    call: Asking["call"],
    asked: Deployment,
    model: string,
    deployment: Deployment,
    tokens: number,
  ): Permit | null | Promise<Permit> {
    const all = this.metersOfModel(call.caller, model, deployment);
    if (all.length === 0) return null;
    const held = this.metersOfModel(call.caller, call.model, asked);
    const meters = all.filter(({ id }) => !held.some((one) => one.id === id));
    if (meters.length === 0) return null;
    const decision = this.limiter.take(meters, tokens);
    return decision instanceof Promise ? decision.then(admitted) : admitted(decision);
  }

  /** Milliseconds until a deployment has room, as far as that is known here without asking. */
  roomInMs(deployment: Deployment, facts: { requestedTokens(): number }): number {
    const meters = this.meters.ofDeployment(deployment, this.rules());
    if (meters.length === 0) return 0;
    const here = this.limiter.roomInMs(meters, facts.requestedTokens());
    const told = this.full.get(deployment.id);
    if (told === undefined) return here;
    const there = told.meters === meters ? told.untilMs - this.nowMs() : 0;
    if (there <= 0) this.full.delete(deployment.id);
    return Math.max(here, there, 0);
  }

  /** A place at a deployment; null where it has no limits. Throws 429 where it is full after all. */
  enter(deployment: Deployment, tokens: number): Permit | null | Promise<Permit> {
    const meters = this.meters.ofDeployment(deployment, this.rules());
    if (meters.length === 0) return null;
    const decision = this.limiter.take(meters, tokens);
    return decision instanceof Promise ? this.enterAfter(deployment, meters, decision) : placed(deployment, decision);
  }

  private async enterAfter(
    deployment: Deployment,
    meters: readonly Meter[],
    decision: Promise<Decision>,
  ): Promise<Permit> {
    const told = await decision;
    if (!told.admitted) this.noteFull(deployment, meters, told);
    return placed(deployment, told);
  }

  /** Where tokens are short a smaller call may still fit. */
  private noteFull({ id }: Deployment, meters: readonly Meter[], { meter, retryMs }: Refusal): void {
    if (meter.counted === "tokens") return;
    const untilMs = this.nowMs() + (meter.counted === "parallel" ? ASK_AGAIN_MS : retryMs);
    this.full.set(id, { untilMs, meters });
  }

  private metersOfModel({ limits }: KeyCaller, model: string, deployment: Deployment): readonly Meter[] {
    const own = this.meters.ofCaller(limits, model, deployment).filter(({ owner }) => owner.model !== null);
    return [...this.meters.group(this.rules(), model, deployment), ...own];
  }

  private metersOf({ call, request, deployment }: Asking): readonly Meter[] {
    const { caller, model } = call;
    const rules = this.rules();
    const own = this.meters.ofCaller(caller.limits, model, deployment);
    if (rules.endUser === null && rules.globalParallel === null && rules.groups === null) return own;
    const user = rules.endUser && endUserOf(call, request);
    return [
      ...this.meters.everybody(rules),
      ...this.meters.group(rules, model, deployment),
      ...own,
      ...(rules.endUser && user
        ? this.meters.endUser(ratesFor(rules.endUser, caller), caller.organizationId, user)
        : []),
    ];
  }
}

/** What an end user has of its own takes the place of what holds for each of them. */
function ratesFor(each: Rates, { limits }: KeyCaller): Rates {
  const own = limits.find(({ scope }) => scope === "end_user");
  if (!own) return each;
  return {
    rpm: own.rpm === null ? each.rpm : null,
    tpm: own.tpm === null ? each.tpm : null,
    parallel: own.parallel === null ? each.parallel : null,
  };
}

function placed(deployment: Deployment, decision: Decision): Permit {
  if (decision.admitted) return decision;
  throw deploymentAtCapacity(deployment.group, decision.retryMs);
}

const partOf = (deployment: Deployment, decision: Decision): Permit =>
  !decision.admitted && decision.meter.owner.scope === "deployment" ? placed(deployment, decision) : admitted(decision);

function admitted(decision: Decision): Permit {
  if (decision.admitted) return decision;
  throw limitError(decision);
}
