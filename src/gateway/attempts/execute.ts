import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Permit } from "../../limits/meter.ts";
import { both, type CallHook } from "../call/call-hooks.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { NextAttempt, PreparedRequest } from "../call/prepared-request.ts";
import { requestedTokens, tokensOf } from "../limits/request-tokens.ts";
import { CallAccounting } from "../metering/call-accounting.ts";
import { requestedMaxTokens } from "../metering/estimate.ts";
import type { CallEnding } from "../metering/outcome.ts";
import type { Reservation } from "../metering/reservation.ts";
import { logRejectedCall, reserve } from "../metering/reserve.ts";
import { newRecord } from "../metering/usage-record.ts";
import { resolveForCaller } from "../pipeline/authorize-model.ts";
import { CallRoutingContext } from "../routing/routing-context.ts";
import { withTargetDetails } from "./error-details.ts";
import { AttemptPlanner, type Step } from "./planner.ts";
import { type ResolvedTarget, resolveTarget } from "./resolve-target.ts";
import { rejectIfTagBudgetExhausted } from "./tag-budget.ts";

const NONE: ReadonlySet<string> = new Set();

/**
 * Sends a call to a deployment of its group and, as long as nothing of an answer has been sent, to others when that
 * fails. However many tries it takes, it is one call in the books, charged by the one that answered.
 */
export async function executeWithFallbacks(
  deps: GatewayDeps,
  call: InferenceCall,
  prepared: PreparedRequest,
): Promise<Response> {
  const facts = new CallRoutingContext(call, prepared);
  const trip = new CallExecution(deps, call, prepared, facts);
  let step: Step | null = null;
  deps.retryBudgets.of(prepared.group).deposit();
  const known = deps.budgetsLoaded();
  if (known !== null) await known;
  try {
    rejectIfTagBudgetExhausted(deps, call, prepared, facts);
    for (;;) {
      try {
        step ??= firstStep(deps, call, prepared, facts);
        const entered = trip.enter(step);
        const reservation = entered instanceof Promise ? await entered : entered;
        await trip.waitFor(reservation);
        const accounting = trip.markSent(step, reservation);
        return await prepared.work(accounting.reservation.target, accounting, trip.nextAttempt);
      } catch (thrown) {
        const failure = trip.failed(thrown, step);
        step = trip.isOver ? null : trip.after(failure);
        if (step !== null && step.delayMs > 0) step = await trip.wait(step, failure);
        if (step === null) throw await trip.giveUp(failure);
      }
    }
  } catch (thrown) {
    throw await prepared.hooks.failureFor(thrown);
  }
}

function firstStep(deps: GatewayDeps, call: InferenceCall, prepared: PreparedRequest, facts: CallRoutingContext): Step {
  // Guardrails, and those who ask the same, may have been waited for: what a reload has taken out meanwhile gets no call.
  const catalog = deps.catalog();
  const isSame = catalog === prepared.catalog;
  const deployments = isSame ? prepared.deployments : resolveForCaller(catalog, call.caller, call.model);
  const run = deps.router.pick(deployments, NONE, facts);
  if (run) return { run, model: call.model, retries: 0, fallbacks: 0, delayMs: 0, fields: null };
  throw new GatewayError("model_not_found", `The model \`${call.model}\` has no deployment.`, { param: "model" });
}

/** The longest answer has two names: what is said of it by one takes the place of what was by the other. */
function askedOtherwise(request: Fields, fields: Fields): Fields {
  const { max_tokens, max_completion_tokens, ...rest } = request;
  return requestedMaxTokens(fields) === null ? { ...request, ...fields } : { ...rest, ...fields };
}

/** A call on its way, from one deployment to the next. */
class CallExecution implements CallHook {
  /** Where the last try was, and whether that deployment has had the call. */
  private at: Deployment | null = null;
  private sent = false;
  private target: ResolvedTarget | null = null;
  /** What is to be written down before the call is sent there. */
  private reservation: Reservation | null = null;
  private accounting: CallAccounting | null = null;
  /** In the limits of the deployment where the call is. */
  private place: Permit | null = null;
  /** In the limits that the caller has for a group that stands in. */
  private standIn: { readonly model: string; readonly permit: Permit | null } | null = null;
  /** Made with the first failure. */
  private plan: AttemptPlanner | null = null;

  constructor(
    private readonly deps: GatewayDeps,
    private readonly call: InferenceCall,
    private readonly prepared: PreparedRequest,
    private readonly facts: CallRoutingContext,
  ) {}

  /** Nothing can be tried any more: the caller has a part of the answer, or does not wait for one. */
  get isOver(): boolean {
    return this.call.signal.aborted || (this.accounting?.hasBegun ?? false);
  }

  /** Takes note of a try that failed, and says what of it may be told. */
  failed(thrown: unknown, step: Step | null): unknown {
    const failure = this.target ? withTargetDetails(thrown, this.target, this.call.caller) : thrown;
    this.place?.end(0);
    if (this.sent) this.accounting?.failAttempt(failure);
    // A try that never was: somebody else may have the place, and what was set aside.
    else {
      step?.run.drop();
      this.dropBooking();
    }
    return failure;
  }

  /** What is set aside for the call where it was before is let go of when it ends: a part of an answer may be charged. */
  private dropBooking(): void {
    const admission = this.reservation?.admission;
    if (admission !== this.accounting?.reservation.admission) admission?.hold.release();
  }

  /** The next try; null where there is none. */
  after(failure: unknown, mayWait = true): Step | null {
    if (!(failure instanceof GatewayError)) return null;
    const { deps, call, prepared, facts } = this;
    this.plan ??= new AttemptPlanner(deps, call, prepared, facts);
    return this.plan.after(failure, this.at, this.sent, mayWait);
  }

  /** Waits for the time of a step; what is to be done then may be another one, or nothing. */
  async wait(step: Step, failure: unknown): Promise<Step | null> {
    const { run, delayMs } = step;
    try {
      await this.deps.sleep(delayMs, this.call.signal);
    } catch (thrown) {
      run.drop();
      throw await this.giveUp(thrown);
    }
    if (this.plan?.mayStillTry(run)) {
      run.restart();
      return step;
    }
    run.drop();
    return failure instanceof GatewayError ? (this.plan?.replaceAttempt(failure) ?? null) : null;
  }

  /** The call ends in the books, with what is then thrown. */
  async giveUp(failure: unknown): Promise<unknown> {
    const told = this.isOver ? failure : (this.plan?.failure() ?? failure);
    if (this.accounting) await this.accounting.fail(told);
    else {
      this.standIn?.permit?.end(0);
      if (told instanceof GatewayError && told.kind === "rate_limit") this.noteFull(told);
    }
    return told;
  }

  /** No deployment had room for the call. */
  private noteFull(failure: GatewayError): void {
    const { deps, call, prepared } = this;
    logRejectedCall(
      deps,
      newRecord(deps, call, prepared.operation, prepared.request, this.target, "rejected"),
      failure,
    );
  }

  readonly nextAttempt: NextAttempt = async (interrupted) => {
    let failure = this.failed(interrupted, null);
    while (!this.call.signal.aborted) {
      // Somebody is reading: what takes a while before it begins is no help, and a group that stands in begins at once.
      const step = this.after(failure, false);
      if (step === null) return null;
      try {
        const reservation = await this.enter(step);
        await this.waitFor(reservation);
        return this.markSent(step, reservation).reservation.target;
      } catch (thrown) {
        failure = this.failed(thrown, step);
      }
    }
    return null;
  };

  /** Decides what goes to a deployment and writes it down. */
  enter(step: Step): Reservation | Promise<Reservation> {
    const { deps, call, prepared } = this;
    const asked =
      step.fields === null ? prepared : { ...prepared, request: askedOtherwise(prepared.request, step.fields) };
    this.at = step.run.deployment;
    this.sent = false;
    this.target = null;
    this.reservation = null;
    const target = resolveTarget(deps, call, asked, step.run.deployment, step);
    this.target = target;
    const tokens = requestedTokens(asked.request, prepared.measure);
    return step.fallbacks === 0
      ? this.acquireDeploymentSlot(target, tokens)
      : this.acquireFallbackSlot(step, target, tokens);
  }

  private async acquireFallbackSlot(step: Step, target: ResolvedTarget, tokens: number): Promise<Reservation> {
    await this.acquireSlotAs(step, tokens);
    return this.acquireDeploymentSlot(target, tokens);
  }

  private acquireDeploymentSlot(target: ResolvedTarget, tokens: number): Reservation | Promise<Reservation> {
    const entered = this.deps.limits.enter(target.deployment, tokens);
    return entered instanceof Promise ? this.waitForDeploymentSlot(target, entered) : this.writeDown(target, entered);
  }

  private async waitForDeploymentSlot(target: ResolvedTarget, entered: Promise<Permit>): Promise<Reservation> {
    return this.writeDown(target, await entered);
  }

  private writeDown(target: ResolvedTarget, place: Permit | null): Reservation | Promise<Reservation> {
    const { deps, call, prepared } = this;
    const { operation, request, measure, uploaded } = prepared;
    this.place = place;
    const asked = { operation, fields: target.fields, measure, uploaded };
    return reserve(deps, { call, request, target, asked }, this.accounting);
  }

  /** Until the call is in the journal; what was set aside for it is remembered, should it never get there. */
  waitFor(reservation: Reservation): Promise<void> {
    this.reservation = reservation;
    return reservation.written;
  }

  /** The call is in the books, and goes to the deployment next. */
  markSent({ run }: Step, reservation: Reservation): CallAccounting {
    const { deps, call, prepared } = this;
    if (this.accounting) this.accounting.moveTo(reservation, run);
    else {
      this.accounting = new CallAccounting(deps, call, reservation, run, prepared.hooks);
      prepared.hooks.join(this);
      prepared.hooks.begin(this.accounting);
    }
    if (call.signal.aborted) throw new GatewayError("unavailable", "The caller has left.");
    this.sent = true;
    this.accounting.send();
    return this.accounting;
  }

  end({ units }: CallEnding): Promise<unknown> | null {
    const { place, standIn } = this;
    if (place === null && standIn === null) return null;
    const tokens = tokensOf(units);
    return both(place?.end(tokens) ?? null, standIn?.permit?.end(tokens) ?? null);
  }

  /** What a caller may call only so often is not called more often in place of another model. Once for each group. */
  private async acquireSlotAs({ model, run }: Step, tokens: number): Promise<void> {
    if (this.standIn?.model === model) return;
    this.standIn?.permit?.end(0);
    this.standIn = null;
    try {
      const { call, prepared, deps } = this;
      const asked = prepared.deployments[0] as Deployment;
      const permit = await deps.limits.admitTo(call, asked, model, run.deployment, tokens);
      this.standIn = { model, permit };
    } catch (refused) {
      // No other deployment of the group would help: none of them was to blame.
      this.at = null;
      throw refused;
    }
  }
}
