import type { Deployment } from "../../contract/deployment.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { Permit } from "../../limits/meter.ts";
import { both, type Companion } from "../call/call-hooks.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { Errand, Onward } from "../call/prepared-request.ts";
import { tokensAsked, tokensOf } from "../limits/request-tokens.ts";
import { MeteredCall } from "../metering/call-accounting.ts";
import { longestAsked } from "../metering/estimate.ts";
import type { CallEnding } from "../metering/outcome.ts";
import type { Booking } from "../metering/reservation.ts";
import { book, noteRefusal } from "../metering/reserve.ts";
import { newRecord } from "../metering/usage-record.ts";
import { resolveForCaller } from "../pipeline/authorize-model.ts";
import { CallFacts } from "../routing/routing-context.ts";
import { toldWhere } from "./error-details.ts";
import { CallPlan, type Step } from "./planner.ts";
import { type Choice, choiceOf } from "./resolve-target.ts";
import { refuseSpentTag } from "./tag-budget.ts";

const NONE: ReadonlySet<string> = new Set();

/**
 * Sends a call to a deployment of its group and, as long as nothing of an answer has been sent, to others when that
 * fails. However many tries it takes, it is one call in the books, charged by the one that answered.
 */
export async function carryOut(deps: GatewayDeps, call: InferenceCall, errand: Errand): Promise<Response> {
  const facts = new CallFacts(call, errand);
  const trip = new Trip(deps, call, errand, facts);
  let step: Step | null = null;
  deps.retryBudgets.of(errand.group).deposit();
  const known = deps.budgetsKnown();
  if (known !== null) await known;
  try {
    refuseSpentTag(deps, call, errand, facts);
    for (;;) {
      try {
        step ??= firstStep(deps, call, errand, facts);
        const entered = trip.enter(step);
        const booking = entered instanceof Promise ? await entered : entered;
        await trip.waitFor(booking);
        const meter = trip.depart(step, booking);
        return await errand.work(meter.booking.choice, meter, trip.onward);
      } catch (thrown) {
        const failure = trip.failed(thrown, step);
        step = trip.isOver ? null : trip.after(failure);
        if (step !== null && step.delayMs > 0) step = await trip.wait(step, failure);
        if (step === null) throw await trip.giveUp(failure);
      }
    }
  } catch (thrown) {
    throw await errand.company.failureFor(thrown);
  }
}

function firstStep(deps: GatewayDeps, call: InferenceCall, errand: Errand, facts: CallFacts): Step {
  // Guardrails, and those who ask the same, may have been waited for: what a reload has taken out meanwhile gets no call.
  const catalog = deps.catalog();
  const isSame = catalog === errand.catalog;
  const deployments = isSame ? errand.deployments : resolveForCaller(catalog, call.caller, call.model);
  const run = deps.router.pick(deployments, NONE, facts);
  if (run) return { run, model: call.model, retries: 0, fallbacks: 0, delayMs: 0, fields: null };
  throw new GatewayError("model_not_found", `The model \`${call.model}\` has no deployment.`, { param: "model" });
}

/** The longest answer has two names: what is said of it by one takes the place of what was by the other. */
function askedOtherwise(request: Fields, fields: Fields): Fields {
  const { max_tokens, max_completion_tokens, ...rest } = request;
  return longestAsked(fields) === null ? { ...request, ...fields } : { ...rest, ...fields };
}

/** A call on its way, from one deployment to the next. */
class Trip implements Companion {
  /** Where the last try was, and whether that deployment has had the call. */
  private at: Deployment | null = null;
  private sent = false;
  private choice: Choice | null = null;
  /** What is to be written down before the call is sent there. */
  private booking: Booking | null = null;
  private meter: MeteredCall | null = null;
  /** In the limits of the deployment where the call is. */
  private place: Permit | null = null;
  /** In the limits that the caller has for a group that stands in. */
  private standIn: { readonly model: string; readonly permit: Permit | null } | null = null;
  /** Made with the first failure. */
  private plan: CallPlan | null = null;

  constructor(
    private readonly deps: GatewayDeps,
    private readonly call: InferenceCall,
    private readonly errand: Errand,
    private readonly facts: CallFacts,
  ) {}

  /** Nothing can be tried any more: the caller has a part of the answer, or does not wait for one. */
  get isOver(): boolean {
    return this.call.signal.aborted || (this.meter?.hasBegun ?? false);
  }

  /** Takes note of a try that failed, and says what of it may be told. */
  failed(thrown: unknown, step: Step | null): unknown {
    const failure = this.choice ? toldWhere(thrown, this.choice, this.call.caller) : thrown;
    this.place?.end(0);
    if (this.sent) this.meter?.failAttempt(failure);
    // A try that never was: somebody else may have the place, and what was set aside.
    else {
      step?.run.drop();
      this.dropBooking();
    }
    return failure;
  }

  /** What is set aside for the call where it was before is let go of when it ends: a part of an answer may be charged. */
  private dropBooking(): void {
    const admission = this.booking?.admission;
    if (admission !== this.meter?.booking.admission) admission?.hold.release();
  }

  /** The next try; null where there is none. */
  after(failure: unknown, mayWait = true): Step | null {
    if (!(failure instanceof GatewayError)) return null;
    const { deps, call, errand, facts } = this;
    this.plan ??= new CallPlan(deps, call, errand, facts);
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
    return failure instanceof GatewayError ? (this.plan?.inPlaceOf(failure) ?? null) : null;
  }

  /** The call ends in the books, with what is then thrown. */
  async giveUp(failure: unknown): Promise<unknown> {
    const told = this.isOver ? failure : (this.plan?.failure() ?? failure);
    if (this.meter) await this.meter.fail(told);
    else {
      this.standIn?.permit?.end(0);
      if (told instanceof GatewayError && told.kind === "rate_limit") this.noteFull(told);
    }
    return told;
  }

  /** No deployment had room for the call. */
  private noteFull(failure: GatewayError): void {
    const { deps, call, errand } = this;
    noteRefusal(deps, newRecord(deps, call, errand.operation, errand.request, this.choice, "rejected"), failure);
  }

  readonly onward: Onward = async (broken) => {
    let failure = this.failed(broken, null);
    while (!this.call.signal.aborted) {
      // Somebody is reading: what takes a while before it begins is no help, and a group that stands in begins at once.
      const step = this.after(failure, false);
      if (step === null) return null;
      try {
        const booking = await this.enter(step);
        await this.waitFor(booking);
        return this.depart(step, booking).booking.choice;
      } catch (thrown) {
        failure = this.failed(thrown, step);
      }
    }
    return null;
  };

  /** Decides what goes to a deployment and writes it down. */
  enter(step: Step): Booking | Promise<Booking> {
    const { deps, call, errand } = this;
    const asked = step.fields === null ? errand : { ...errand, request: askedOtherwise(errand.request, step.fields) };
    this.at = step.run.deployment;
    this.sent = false;
    this.choice = null;
    this.booking = null;
    const choice = choiceOf(deps, call, asked, step.run.deployment, step);
    this.choice = choice;
    const tokens = tokensAsked(asked.request, errand.measure);
    return step.fallbacks === 0 ? this.takePlace(choice, tokens) : this.takeStandIn(step, choice, tokens);
  }

  private async takeStandIn(step: Step, choice: Choice, tokens: number): Promise<Booking> {
    await this.standInAs(step, tokens);
    return this.takePlace(choice, tokens);
  }

  private takePlace(choice: Choice, tokens: number): Booking | Promise<Booking> {
    const entered = this.deps.limits.enter(choice.deployment, tokens);
    return entered instanceof Promise ? this.waitForPlace(choice, entered) : this.writeDown(choice, entered);
  }

  private async waitForPlace(choice: Choice, entered: Promise<Permit>): Promise<Booking> {
    return this.writeDown(choice, await entered);
  }

  private writeDown(choice: Choice, place: Permit | null): Booking | Promise<Booking> {
    const { deps, call, errand } = this;
    const { operation, request, measure, uploaded } = errand;
    this.place = place;
    const asked = { operation, fields: choice.fields, measure, uploaded };
    return book(deps, { call, request, choice, asked }, this.meter);
  }

  /** Until the call is in the journal; what was set aside for it is remembered, should it never get there. */
  waitFor(booking: Booking): Promise<void> {
    this.booking = booking;
    return booking.written;
  }

  /** The call is in the books, and goes to the deployment next. */
  depart({ run }: Step, booking: Booking): MeteredCall {
    const { deps, call, errand } = this;
    if (this.meter) this.meter.moveTo(booking, run);
    else {
      this.meter = new MeteredCall(deps, call, booking, run, errand.company);
      errand.company.join(this);
      errand.company.begin(this.meter);
    }
    if (call.signal.aborted) throw new GatewayError("unavailable", "The caller has left.");
    this.sent = true;
    this.meter.send();
    return this.meter;
  }

  end({ units }: CallEnding): Promise<unknown> | null {
    const { place, standIn } = this;
    if (place === null && standIn === null) return null;
    const tokens = tokensOf(units);
    return both(place?.end(tokens) ?? null, standIn?.permit?.end(tokens) ?? null);
  }

  /** What a caller may call only so often is not called more often in place of another model. Once for each group. */
  private async standInAs({ model, run }: Step, tokens: number): Promise<void> {
    if (this.standIn?.model === model) return;
    this.standIn?.permit?.end(0);
    this.standIn = null;
    try {
      const { call, errand, deps } = this;
      const asked = errand.deployments[0] as Deployment;
      const permit = await deps.limits.admitTo(call, asked, model, run.deployment, tokens);
      this.standIn = { model, permit };
    } catch (refused) {
      // No other deployment of the group would help: none of them was to blame.
      this.at = null;
      throw refused;
    }
  }
}
