import { amountOf } from "../../catalog/cost.ts";
import type { PriceSheet } from "../../catalog/price-sheet.ts";
import { GatewayError } from "../../contract/errors.ts";
import { type CreditSource, type Hold, NOTHING_HELD } from "../../ledger/books.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { potIds } from "./credit-sources.ts";
import { type Asked, hasOutputLimit, outputAtMost, unitsAtMost } from "./estimate.ts";
import { countExactly, tokensAtMost } from "./prompt-size.ts";
import type { CreditHold, DeploymentLimits } from "./reservation.ts";

/** What a call asks for at one deployment, and by what it is charged there. */
export interface CreditRequest {
  readonly call: InferenceCall;
  readonly asked: Asked;
  /** The name that the call is logged under. */
  readonly model: string;
  readonly sheet: PriceSheet | null;
  readonly limits: DeploymentLimits;
}

const FREE: CreditHold = { hold: NOTHING_HELD, creditSources: [], outputMax: null };

/**
 * Holds an upper bound of what a call may cost. If less is left, the tokenizer counts the prompt, and the response is
 * limited to what the rest pays for. Rejects the call if the rest does not pay for the prompt.
 */
export function holdCredit(deps: GatewayDeps, request: CreditRequest): CreditHold | Promise<CreditHold> {
  const { call, sheet, model } = request;
  const creditSources = sheet && !sheet.free ? deps.books.creditSources.of(call.caller, model, deps.clock.nowMs()) : [];
  return sheet && creditSources.length > 0 ? hold(deps, request, sheet, creditSources) : FREE;
}

/** An interrupted response and the one that continues it are paid from one hold: the larger of the two bounds. */
export function increaseHold(
  deps: GatewayDeps,
  request: CreditRequest,
  held: CreditHold,
): CreditHold | Promise<CreditHold> {
  const { sheet } = request;
  if (!sheet || sheet.free) return held;
  const bound = new CostBound(deps, request, sheet);
  if (bound.amount <= held.hold.amount) return held;
  const { callId, signal } = request.call;
  const pending = deps.books.desk.hold({ callId, creditSources: [], amount: bound.amount, signal, former: held.hold });
  return pending instanceof Promise ? pending.then(() => held) : held;
}

function hold(
  deps: GatewayDeps,
  request: CreditRequest,
  sheet: PriceSheet,
  creditSources: readonly CreditSource[],
): CreditHold | Promise<CreditHold> {
  const { callId, signal } = request.call;
  const bound = new CostBound(deps, request, sheet);
  const refine = (): Promise<bigint> => bound.refine();
  const pending = deps.books.desk.hold({ callId, creditSources, amount: bound.amount, refine, signal });
  const ids = potIds(creditSources);
  return pending instanceof Promise
    ? admitAfter(pending, ids, bound)
    : { hold: pending, creditSources: ids, outputMax: null };
}

async function admitAfter(
  pending: Promise<Hold>,
  creditSources: readonly string[],
  bound: CostBound,
): Promise<CreditHold> {
  const held = await pending;
  try {
    return { hold: held, creditSources, outputMax: bound.outputFor(held.amount) };
  } catch (thrown) {
    held.release();
    throw thrown;
  }
}

/** The most that a call may cost: by the bytes of its prompt, or after `refine` by its tokens. */
class CostBound {
  readonly amount: bigint;
  private promptTokens: number;
  private readonly outputMax: number;
  private readonly isPrepaid: boolean;

  constructor(
    private readonly deps: GatewayDeps,
    private readonly request: CreditRequest,
    private readonly sheet: PriceSheet,
  ) {
    const { asked, limits, call } = request;
    this.isPrepaid = call.caller.standing?.prepaid === true;
    const { outputEstimateMax } = deps.settings();
    const modelMax = limits.maxOutputTokens ?? outputEstimateMax;
    const isLimited = hasOutputLimit(asked.operation);
    this.promptTokens = tokensAtMost(asked.measure, limits);
    this.outputMax = outputAtMost(asked, isLimited ? modelMax : Math.min(modelMax, outputEstimateMax));
    this.amount = this.costAt(this.outputMax);
  }

  /** Counts the prompt. A request that sets no limit gets a shorter response before it waits for other calls. */
  async refine(): Promise<bigint> {
    const { asked, call, limits } = this.request;
    await countExactly(asked.measure, call.signal);
    this.promptTokens = tokensAtMost(asked.measure, limits);
    const { outputEstimateMax } = this.deps.settings();
    return this.costAt(Math.min(this.outputMax, outputAtMost(asked, outputEstimateMax)));
  }

  /** The limit of each response that an amount pays for; null if it pays for the longest. Throws if for none. */
  outputFor(amount: bigint): number | null {
    const { operation } = this.request.asked;
    // The prompt of a session is not known in advance: its last response may cost more than is left.
    if (operation === "realtime" || amount >= this.costAt(this.outputMax)) return null;
    if (!hasOutputLimit(operation) || this.costAt(1) > amount) throw this.tooExpensive();
    let [most, tooMany] = [1, this.outputMax];
    while (tooMany - most > 1) {
      const middle = Math.floor((most + tooMany) / 2);
      if (this.costAt(middle) <= amount) most = middle;
      else tooMany = middle;
    }
    return most;
  }

  private costAt(outputMax: number): bigint {
    const { asked } = this.request;
    const bounds = { promptTokens: this.promptTokens, outputMax };
    const cost = amountOf(this.sheet, unitsAtMost(asked, this.sheet.prices, bounds));
    // Every call is charged something, however little of it can be seen in advance.
    return cost > 0n ? cost : 1n;
  }

  private tooExpensive(): GatewayError {
    const use = `Its prompt may use up to ${this.promptTokens} tokens`;
    return new GatewayError(
      this.isPrepaid ? "insufficient_quota" : "budget_exceeded",
      `The credit or budget that is left does not cover this request. ${use}. Shorten it, or add credit.`,
      { headers: { "x-should-retry": "false" } },
    );
  }
}
