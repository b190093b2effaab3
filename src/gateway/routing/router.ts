import type { RouterConfig } from "../../config/router-config.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { DeploymentView } from "../../contract/deployments.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { Clock } from "../../lib/clock.ts";
import { deploymentAtCapacity } from "../limits/limit-headers.ts";
import { stayWith } from "./affinity.ts";
import { type Check, DeploymentState } from "./deployment-state.ts";
import { describeState } from "./describe-state.ts";
import { checkBefore, type ModelLimits, matchTags, stayInRegion } from "./filter-candidates.ts";
import { type GroupView, type Member, viewGroup } from "./group-snapshot.ts";
import { InFlightAttempt, type Try } from "./in-flight-attempt.ts";
import { type Choosing, choose } from "./strategy.ts";
import { spentForMs } from "./upstream-budget.ts";

export type { AttemptResult, Try } from "./in-flight-attempt.ts";

/** What a choice depends on beside the deployments. */
export interface RoutingContext {
  readonly group: string;
  readonly operation: Operation;
  /** Asked only where it matters: counting costs time. */
  promptTokens(): number;
  /** Not more than there are, since they are not counted; the same where nothing else is said. */
  promptTokensAtLeast?(): number;
  /** The prompt with the longest answer that is asked for, as limits count it. */
  requestedTokens(): number;
  readonly tags: readonly string[];
  /** The region that the call has to stay in. */
  readonly region: string | null;
  /** A session: where that is configured, its calls go to the same deployment while it is well. */
  readonly affinity: string | null;
  /** The beginning of the prompt, for the same; asked only where it matters. */
  promptPrefix?(): string | null;
  readonly stream: boolean;
  /** The answer has to fit a JSON schema. */
  readonly schema?: boolean;
}

export interface RouterDeps {
  readonly settings: () => RouterConfig;
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds until a deployment's own limits leave room for one more call; 0: now. */
  readonly roomInMs: (deployment: Deployment, facts: RoutingContext) => number;
  /** What a deployment spends from, where it has budgets. Asked once for each list of deployments. */
  readonly budgetsOf?: (deployment: Deployment) => Member["budgets"];
  /** What the operator has yet to set before it can be called; null where nothing is missing. Asked where it is described. */
  readonly lacksOf?: (deployment: Deployment) => string | null;
  readonly limitsOf: (deployment: Deployment) => ModelLimits;
  /** Price of a token in and a token out together, in USD; null where it is not known. */
  readonly priceOf: (deployment: Deployment) => number | null;
}

/** What an operator has set about a deployment; times are wall time. */
export interface OperatorSwitch {
  readonly deploymentId: string;
  readonly enabled: boolean;
  readonly weight: number | null;
  readonly restUntil: number | null;
  readonly clearedAt: number | null;
  readonly updatedAt: number;
}

export interface KnownCheck extends Check {
  /** Of the deployment. */
  readonly id: string;
}

/** More states than this are kept only of deployments that were in use within the hour. */
const STATES_MAX = 5_000;
const IDLE_MS = 3_600_000;
const NONE_TRIED: ReadonlySet<string> = new Set();

/** Which deployment of a group serves a call, by what this process knows about each. */
export class Router {
  private readonly states = new Map<string, DeploymentState>();
  private readonly views = new WeakMap<readonly Deployment[], GroupView>();
  private switches: ReadonlyMap<string, OperatorSwitch> = new Map();
  /** How many states there may be before idle ones are looked for. */
  private statesMax = STATES_MAX;
  private version = 0;
  // Used anew by each choice: one never waits within another.
  private readonly well: Member[] = [];
  private readonly unwell: Member[] = [];
  private overBudget = 0;

  constructor(private readonly deps: RouterDeps) {}

  /**
   * The next deployment to try, without those tried already; null when none is left. Where nothing was tried yet and nothing
   * can be, it throws: 429 with the soonest `retry-after` where all are at their limits or asked to be left alone.
   * `aheadMs`: the call is held back for so long before it is sent. `wasAsked`: one of those tried has had the call.
   */
  pick(
    deployments: readonly Deployment[],
    tried: ReadonlySet<string>,
    facts: RoutingContext,
    aheadMs = 0,
    wasAsked = tried.size > 0,
  ): Try | null {
    const view = this.viewOf(deployments);
    const now = this.deps.clock.monotonicMs();
    const able = this.narrow(view, tried, facts);
    const waitMs = this.sort(able, facts, now, aheadMs);
    const candidates = this.candidates(view, wasAsked);
    if (candidates.length === 0) {
      if (tried.size > 0) return null;
      throw able.length === 0 ? switchedOff(facts) : noneFree(facts, waitMs, this.overBudget === able.length);
    }
    const member = this.probeOf(candidates, wasAsked, now) ?? this.choose(candidates, view, facts, now);
    return member ? new InFlightAttempt(member, view, facts.operation, facts.stream, this.nowMs, now) : null;
  }

  /** Those that a call may go to, whether or not they have room and are well: for what is no try, and is not counted as one. */
  allowed(deployments: readonly Deployment[], facts: RoutingContext): readonly Deployment[] {
    const able = this.narrow(this.viewOf(deployments), NONE_TRIED, facts);
    if (able.length === 0) throw switchedOff(facts);
    return able.map(({ deployment }) => deployment);
  }

  stateOf = (id: string): DeploymentState => {
    const known = this.states.get(id);
    if (known) return known;
    if (this.states.size >= this.statesMax) this.forgetIdle();
    const made = new DeploymentState();
    made.lastUsedMs = this.nowMs();
    this.states.set(id, made);
    const set = this.switches.get(id);
    if (set) this.apply(made, set);
    return made;
  };

  /** Whether a deployment gets nothing, however it is: switched off, or without a budget to spend from. */
  isShut(deployment: Deployment): boolean {
    if (!this.stateOf(deployment.id).enabled) return true;
    const budgets = this.deps.budgetsOf?.(deployment) ?? null;
    return budgets !== null && spentForMs(budgets, this.deps.clock.nowMs()) > 0;
  }

  /** The deployments of a group as this process sees them. */
  describe(deployments: readonly Deployment[]): readonly DeploymentView[] {
    const view = this.viewOf(deployments);
    const { clock, lacksOf } = this.deps;
    return view.members.map((member) => ({
      ...describeState(member, view, clock),
      lacks: lacksOf?.(member.deployment) ?? null,
    }));
  }

  /** Takes over what operators have set; what is not among it is as configured. */
  applySwitches(switches: readonly OperatorSwitch[]): void {
    this.switches = new Map(switches.map((one) => [one.deploymentId, one]));
    for (const [id, state] of this.states) this.apply(state, this.switches.get(id) ?? null);
    this.version++;
  }

  /** What the last background check of a deployment found. */
  noteCheck(id: string, ok: boolean, latencyMs: number): void {
    this.stateOf(id).checked = { ok, latencyMs, atMs: this.deps.clock.nowMs() };
  }

  /** What the last checks found, by deployment. */
  checks(): readonly KnownCheck[] {
    return [...this.states].flatMap(([id, { checked }]) => (checked === null ? [] : [{ id, ...checked }]));
  }

  /** What another process knows of checks; what is known here and younger stays. */
  takeChecks(checks: readonly KnownCheck[]): void {
    for (const { id, ...found } of checks) {
      const state = this.stateOf(id);
      if (state.checked === null || state.checked.atMs < found.atMs) state.checked = found;
    }
  }

  /** It is not checked any more: what was found last would speak against it for ever. */
  forgetCheck(id: string): void {
    const state = this.states.get(id);
    if (state) state.checked = null;
  }

  private apply(state: DeploymentState, set: OperatorSwitch | null): void {
    const { clock } = this.deps;
    const now = clock.monotonicMs();
    state.enabled = set?.enabled ?? true;
    state.weight = set?.weight ?? null;
    // A rest that has begun or was ended by hand is not begun or ended again when something else changes.
    if (set === null || (set.restUntil === state.restUntil && set.clearedAt === state.clearedAt)) return;
    state.restUntil = set.restUntil;
    state.clearedAt = set.clearedAt;
    const restMs = (set.restUntil ?? 0) - clock.nowMs();
    if (restMs > 0) state.breaker.rest(now + restMs, now);
    else if (set.clearedAt !== null) state.breaker.close(now);
  }

  private readonly nowMs = (): number => this.deps.clock.monotonicMs();

  /** Whether the tags of a call have a say in where it goes. */
  get goesByTags(): boolean {
    return this.deps.settings().tagFiltering;
  }

  private viewOf(deployments: readonly Deployment[]): GroupView {
    const settings = this.deps.settings();
    const known = this.views.get(deployments);
    if (known && known.settings === settings && known.version === this.version) return known;
    const made = viewGroup(deployments, settings, this.version, this.stateOf, this.deps.budgetsOf);
    this.views.set(deployments, made);
    if (settings.disableCooldowns) for (const { state } of made.members) state.breaker.endOwnRest(this.nowMs());
    return made;
  }

  /** Those that could serve the call if they were well. */
  private narrow(view: GroupView, tried: ReadonlySet<string>, facts: RoutingContext): readonly Member[] {
    const { preCallChecks, tagFiltering, tagMatchAny } = view.settings;
    // Where nobody says where it is, the header need not be looked for.
    const asksForRegion = view.regional && !preCallChecks && facts.region !== null;
    if (!preCallChecks && !tagFiltering && !asksForRegion && tried.size === 0 && view.allOn) return view.members;
    let able: readonly Member[] = view.members.filter(({ state }) => state.enabled);
    // Whom a call may go to comes first: a long prompt opens no other's deployment.
    if (able.length > 0 && tagFiltering) able = matchTags(able, facts, tagMatchAny);
    if (able.length > 0 && asksForRegion) able = stayInRegion(able, facts);
    if (able.length > 0 && preCallChecks) {
      able = checkBefore(able, facts, ({ deployment }) => this.deps.limitsOf(deployment));
    }
    return able.filter(({ deployment }) => !tried.has(deployment.id));
  }

  /** Sorts those that have room into well and unwell; answers how long the soonest of the others asks to wait. */
  private sort(able: readonly Member[], facts: RoutingContext, now: number, aheadMs: number): number {
    this.well.length = 0;
    this.unwell.length = 0;
    this.overBudget = 0;
    let soonest = Number.POSITIVE_INFINITY;
    for (const member of able) {
      const heldMs = member.state.breaker.heldMs(now + aheadMs);
      let waitMs = Math.max(this.deps.roomInMs(member.deployment, facts), heldMs);
      if (member.budgets !== null) {
        const spentMs = spentForMs(member.budgets, this.deps.clock.nowMs() + aheadMs);
        if (spentMs > 0) this.overBudget++;
        waitMs = Math.max(waitMs, spentMs);
      }
      if (waitMs > 0) soonest = Math.min(soonest, waitMs);
      else if (isWell(member.state, now)) this.well.push(member);
      else this.unwell.push(member);
    }
    return soonest;
  }

  /** Where none is well, one that is not is better than none: at least one is always tried. */
  private candidates(view: GroupView, wasAsked: boolean): readonly Member[] {
    const all = this.well.length > 0 || wasAsked ? this.well : this.unwell;
    if (!view.levels || all.length < 2) return all;
    const lowest = all.reduce((least, { order }) => Math.min(least, order), Number.POSITIVE_INFINITY);
    return all.filter(({ order }) => order === lowest);
  }

  /**
   * A deployment that has rested gets one call to show that it is well again, unless its share is nothing: who was drained is
   * left in peace. A second try is not for experiments.
   */
  private probeOf(candidates: readonly Member[], wasAsked: boolean, now: number): Member | undefined {
    if (wasAsked) return undefined;
    for (const member of candidates) {
      if (member.share > 0 && member.state.breaker.standing(now) === "ready") return member;
    }
    return undefined;
  }

  private choose(
    candidates: readonly Member[],
    view: GroupView,
    facts: RoutingContext,
    now: number,
  ): Member | undefined {
    const home = candidates.length > 1 ? homeOf(view, facts) : null;
    if (home !== null) return stayWith(candidates, home);
    const { random, priceOf } = this.deps;
    const choosing: Choosing = { view, stream: facts.stream, nowMs: now, random, priceOf };
    return choose(candidates, choosing);
  }

  /** Not again before there are twice as many: else each new deployment would look at all others. */
  private forgetIdle(): void {
    const now = this.nowMs();
    for (const [id, state] of this.states) {
      if (state.inFlight === 0 && now - state.lastUsedMs > IDLE_MS) this.states.delete(id);
    }
    this.statesMax = Math.max(STATES_MAX, this.states.size * 2);
  }
}

/** What a call belongs to, as far as that is configured to matter. */
function homeOf({ settings }: GroupView, facts: RoutingContext): string | null {
  const session = settings.sessionAffinity ? facts.affinity : null;
  return session ?? (settings.promptAffinity ? (facts.promptPrefix?.() ?? null) : null);
}

function isWell(state: DeploymentState, now: number): boolean {
  if (state.checked?.ok === false) return false;
  const standing = state.breaker.standing(now);
  return standing === "closed" || standing === "ready";
}

const switchedOff = ({ group }: RoutingContext): GatewayError =>
  new GatewayError("upstream_unavailable", `All deployments of \`${group}\` are switched off.`);

const noneFree = ({ group }: RoutingContext, waitMs: number, overBudget: boolean): GatewayError =>
  deploymentAtCapacity(group, waitMs, overBudget ? " What may be spent on it until then is spent." : "");
