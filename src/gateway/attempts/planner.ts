import type { Catalog } from "../../catalog/catalog.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { type ErrorKind, GatewayError } from "../../contract/errors.ts";
import { clientDeadlineMs, requestedRetries } from "../call/call-options.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { PreparedRequest } from "../call/prepared-request.ts";
import { resolveForCaller } from "../pipeline/authorize-model.ts";
import type { Try } from "../routing/router.ts";
import type { CallRoutingContext } from "../routing/routing-context.ts";
import { FallbackQueue, type RequestFallbacks } from "./fallback-queue.ts";
import type { GroupNames } from "./fallback-tables.ts";
import { requestFallbacks } from "./request-fallbacks.ts";
import type { RetryBudget } from "./retry-budget.ts";
import { backOff, isDeploymentError, isRetryable, retriesFor, retryAfterOf } from "./retry-policy.ts";

/** One try at one deployment. */
export interface Step {
  readonly run: Try;
  /** What the answer calls the model. */
  readonly model: string;
  readonly retries: number;
  readonly fallbacks: number;
  /** To be waited for before it. */
  readonly delayMs: number;
  /** What is asked otherwise than the request says; null: nothing. */
  readonly fields: Fields | null;
}

/** Why a deployment that has not had the call yet is passed over. */
const SKIPPABLE_ERRORS: ReadonlySet<string> = new Set(["unsupported_params", "rate_limit", "price_unknown"]);

/** Where a call goes after it failed: made when it does, since most do not. */
export class AttemptPlanner {
  private readonly queue: FallbackQueue;
  private readonly own: RequestFallbacks;
  private readonly deadlineMs: number | null;
  private readonly tried = new Set<string>();
  /** Levels of the present group, by `order`, where a deployment has had the call. */
  private readonly levelsAsked = new Set<number>();
  /** The lists of deployments that were asked: a group may be known by several names. */
  private readonly asked: Set<string>;
  private model: string;
  private deployments: readonly Deployment[];
  /** Where these were found. */
  private catalog: Catalog;
  private retries = 0;
  private retriesHere = 0;
  /** Some deployment has had the call. */
  private wasSent = false;
  /** The groups that were asked in its place. What was passed over is not among them: the caller may not even call it. */
  private readonly standIns: string[] = [];
  /** Those of them that have had the call, and why one has not: a limit that the caller has for it, no credit for its price. */
  private readonly hadIt = new Set<string>();
  private readonly notSent = new Map<string, string>();
  /** Why the group that was asked for did not answer, and why it is not asked again. */
  private askedFailure: GatewayError | null = null;
  private notAgain: string | null = null;
  /** Why the last choice found nobody: at their limits, too small for the prompt, or not to be had. */
  private refusedAs: ErrorKind = "upstream_unavailable";

  constructor(
    private readonly deps: GatewayDeps,
    private readonly call: InferenceCall,
    private readonly prepared: Pick<PreparedRequest, "request" | "options" | "deployments" | "catalog">,
    private readonly facts: CallRoutingContext,
  ) {
    const { request, options, deployments, catalog } = prepared;
    const { fallbacks, maxFallbacks } = deps.settings();
    this.model = call.model;
    this.deployments = deployments;
    this.catalog = catalog;
    this.asked = new Set([nameOf(deployments)]);
    this.own = requestFallbacks(request);
    this.queue = new FallbackQueue(fallbacks, this.own, call.model, maxFallbacks);
    this.deadlineMs = clientDeadlineMs(call, options);
  }

  /**
   * The next try; null where there is none. `sent`: the deployment has had the call, and failed. `mayWait`: the same one may
   * be tried again after a while.
   */
  after(failure: GatewayError, at: Deployment | null, sent: boolean, mayWait = true): Step | null {
    if (this.model === this.call.model) this.askedFailure = failure;
    else if (sent) this.hadIt.add(this.model);
    else this.notSent.set(this.model, failure.message);
    if (at) this.tried.add(at.id);
    this.refreshDeployments();
    if (sent) this.wasSent = true;
    if (sent && at) this.levelsAsked.add(orderOf(at));
    // Nothing is chosen in vain: a deployment counts a try from the choice on.
    if (!this.isInTime(0)) return null;
    return (
      this.inGroup(failure, at, sent, mayWait) ??
      this.nextFallback(failure, sent || at === null || failure.kind === "rate_limit")
    );
  }

  /** Whether a deployment that was waited for is still there, as it was, and no operator has switched it off. */
  mayStillTry({ deployment, isSwitchedOff }: Try): boolean {
    this.refreshDeployments();
    return !isSwitchedOff && this.deployments.includes(deployment);
  }

  /** In place of a try that was waited for and may not be made any more: another one at once. It was paid for already. */
  replaceAttempt(failure: GatewayError): Step | null {
    return this.go(this.pick(), 0) ?? this.nextFallback(failure, true);
  }

  /** What the caller is told in the end: why the model that was asked for did not answer, and what else was tried. */
  failure(): GatewayError | null {
    const { askedFailure: failure } = this;
    if (!failure) return null;
    return new GatewayError(failure.kind, this.words(failure.message), {
      cause: failure.cause,
      faults: failure.faults,
      details: failure.details,
      headers: {
        ...failure.headers,
        "x-gw-attempted-retries": String(this.retries),
        "x-gw-attempted-fallbacks": String(this.hadIt.size),
      },
      ...(failure.param === null ? {} : { param: failure.param }),
    });
  }

  /** Who did not answer was asked; who was not asked had a reason, which the caller may know. */
  private words(failed: string): string {
    if (this.standIns.length === 0 && this.notAgain === null) return failed;
    const words = [sentence(failed)];
    if (this.notAgain !== null) words.push(`It was not tried again: ${this.notAgain}`);
    const asked = this.standIns.filter((name) => this.hadIt.has(name)).map((name) => `\`${name}\``);
    if (asked.length > 0) words.push(`What stands in for it did not answer either: ${asked.join(", ")}.`);
    for (const [name, why] of this.notSent) {
      if (!this.hadIt.has(name)) words.push(`\`${name}\` was not asked in its place: ${sentence(why)}`);
    }
    return words.join(" ");
  }

  /** Whether the caller, where it has said how long it waits, is still there after that. */
  private isInTime(delayMs: number): boolean {
    return this.deadlineMs === null || this.deps.clock.monotonicMs() + delayMs < this.deadlineMs;
  }

  /** Another deployment of the same group, or the same one again after a while. */
  private inGroup(failure: GatewayError, at: Deployment | null, sent: boolean, mayWait: boolean): Step | null {
    if (at === null) return null;
    // What this deployment cannot do, or has no room for, another one of its group may be able to: that is no retry.
    if (!sent) return SKIPPABLE_ERRORS.has(failure.kind) ? this.go(this.pick(), 0) : null;
    const rules = this.deps.settings().retries;
    const most = retriesFor(rules, [this.model, at.group], failure.kind, requestedRetries(this.prepared.options, at));
    if (this.retriesHere < most) return this.again(failure, mayWait);
    // What is wrong with the request is so at every level.
    return isRetryable(failure.kind) ? this.nextPriority() : null;
  }

  private again(failure: GatewayError, mayWait: boolean): Step | null {
    const { settings, clock, random } = this.deps;
    const other = this.pick();
    if (other) return this.retry(other, 0);
    if (isDeploymentError(failure.kind) || !mayWait) return null;
    const toldMs = retryAfterOf(failure, clock.nowMs());
    const delayMs = backOff(settings().retries, this.retriesHere, toldMs, random());
    if (delayMs === null || !this.isInTime(delayMs)) return null;
    this.tried.clear();
    const same = this.pick(delayMs);
    return same && this.retry(same, delayMs);
  }

  private retry(chosen: Try, delayMs: number): Step | null {
    const run = this.withinRetryBudget(chosen);
    if (!run) return null;
    this.retries++;
    this.retriesHere++;
    return this.go(run, delayMs);
  }

  /** When all tries are used up, deployments of a later `order` than the call began at are still there for exactly this. */
  private nextPriority(): Step | null {
    const level = Math.min(...this.levelsAsked);
    const isLater = (other: Deployment) => orderOf(other) > level && !this.tried.has(other.id);
    if (!this.deployments.some(isLater)) return null;
    for (const other of this.deployments) if (orderOf(other) <= level) this.tried.add(other.id);
    return this.go(this.withinRetryBudget(this.pick()), 0);
  }

  /**
   * A try at a place that has just failed is not made for nothing; one at a place that is well is, and takes its turn. So is
   * the first one of a call: a group without room has sent nobody anything, and who stands in for it gets no call twice.
   * The first one at a group or level is not refused for a failure or two there: its callers may have nobody else.
   */
  private withinRetryBudget(chosen: Try | null): Try | null {
    let run = chosen;
    while (run && this.drawsRetryBudget(run) && !this.budgetOf(run).draw()) {
      run.drop();
      this.tried.add(run.deployment.id);
      run = this.pick();
    }
    return run;
  }

  private drawsRetryBudget({ failedLast, isUnhealthy, deployment }: Try): boolean {
    if (!failedLast || !this.wasSent) return false;
    return isUnhealthy || this.levelsAsked.has(orderOf(deployment));
  }

  private budgetOf({ deployment }: Try): RetryBudget {
    return this.deps.retryBudgets.of(deployment.group);
  }

  /** The next group that stands in, which the caller may call and which has a deployment to spare. */
  private nextFallback(failure: GatewayError, groupFailed: boolean): Step | null {
    if (groupFailed) this.queue.failed(failure.kind, this.names());
    for (let name = this.queue.next(); name !== null; name = this.queue.next()) {
      const deployments = this.resolve(name);
      if (deployments === null || this.asked.has(nameOf(deployments))) continue;
      this.enter(name, deployments);
      const run = this.withinRetryBudget(this.pick());
      if (!run) {
        // Asked by itself it would have failed, and so it brings its own list as well.
        this.queue.failed(this.refusedAs, this.names());
        continue;
      }
      // Where all is well it is a call like any other, and pays for its retries. Where nothing is, nobody pays in.
      if (!run.failedLast) this.budgetOf(run).deposit();
      this.standIns.push(name);
      this.queue.asked();
      return this.go(run, 0);
    }
    return null;
  }

  /** Names under which fallbacks of the present group may stand: as it was asked for, and as it is called. */
  private names(): GroupNames {
    const [first] = this.deployments;
    return first
      ? { own: [this.model, first.group], upstreamModel: first.upstreamModel, provider: first.provider }
      : { own: [this.model], upstreamModel: null };
  }

  private resolve(name: string): readonly Deployment[] | null {
    try {
      return resolveForCaller(this.deps.catalog(), this.call.caller, name);
    } catch (thrown) {
      if (thrown instanceof GatewayError) return null;
      throw thrown;
    }
  }

  private enter(name: string, deployments: readonly Deployment[]): void {
    this.model = name;
    this.asked.add(nameOf(deployments));
    this.deployments = deployments;
    this.facts.group = deployments[0]?.group ?? name;
    this.tried.clear();
    this.levelsAsked.clear();
    this.retriesHere = 0;
  }

  private pick(aheadMs = 0): Try | null {
    this.refusedAs = "upstream_unavailable";
    if (this.deployments.length === 0) {
      this.noteNotRetried("it has no deployment any more.");
      return null;
    }
    try {
      // Who was only passed over has shown nothing: one that rests is then better than none, as it is for the first try.
      const wasAsked = this.tried.size > 0 && this.levelsAsked.size > 0;
      return this.deps.router.pick(this.deployments, this.tried, this.facts, aheadMs, wasAsked);
    } catch (thrown) {
      // No deployment has room: that is no failure of this call, and what was there before is told.
      if (!(thrown instanceof GatewayError)) throw thrown;
      this.refusedAs = thrown.kind;
      if (thrown.kind === "upstream_unavailable") this.noteNotRetried("all its deployments are switched off.");
      return null;
    }
  }

  private noteNotRetried(why: string): void {
    if (this.model === this.call.model) this.notAgain = why;
  }

  /** What a reload of the configuration has taken out meanwhile gets no call, and what it has added may. */
  private refreshDeployments(): void {
    const catalog = this.deps.catalog();
    if (catalog === this.catalog) return;
    this.catalog = catalog;
    this.deployments = this.resolve(this.model) ?? [];
    this.asked.add(nameOf(this.deployments));
  }

  private go(run: Try | null, delayMs: number): Step | null {
    const { model, retries, standIns } = this;
    const fields = standIns.length === 0 ? null : (this.own.fieldsOf?.get(model) ?? null);
    return run && { run, model, retries, fallbacks: standIns.length, delayMs, fields };
  }
}

/** Models behind a pattern share its deployments. */
const nameOf = (deployments: readonly Deployment[]): string =>
  deployments.map(({ id, upstreamModel }) => `${id} ${upstreamModel}`).join();

/** Not every provider ends what it says with a full stop. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const orderOf = ({ params }: Deployment): number =>
  typeof params.order === "number" ? params.order : Number.POSITIVE_INFINITY;
