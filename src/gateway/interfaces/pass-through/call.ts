import { amountOf, costOf, NO_COST } from "../../../catalog/cost.ts";
import { flatPrice, type Prices } from "../../../catalog/price.ts";
import { type PriceSheet, priceSheet } from "../../../catalog/price-sheet.ts";
import { ERRORS } from "../../../contract/errors.ts";
import { formatUsd } from "../../../contract/money.ts";
import type { PassThrough } from "../../../contract/pass-through.ts";
import { type CallStatus, NO_UNITS } from "../../../contract/usage.ts";
import type { Permit } from "../../../limits/meter.ts";
import type { GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import { CLIENT_DISCONNECTED, outcome } from "../../metering/outcome.ts";
import type { CreditHold } from "../../metering/reservation.ts";
import type { CallDraft } from "../../metering/usage-record.ts";
import { keyRules } from "../../pipeline/response-headers.ts";

/** What a call that is passed on tells of its way; it ends once. */
export interface PassThroughSession {
  /** The target has all of the request. */
  sent(): void;
  /** It has begun to answer. */
  answered(status: number): void;
  /** What the answer says of the call. */
  headers(): Record<string, string>;
  /** The answer is whole; its end waits for this. */
  succeed(): Promise<void>;
  /** There is none, or it broke off. */
  fail(thrown: unknown): Promise<void>;
}

/** Of a call that nobody had to show a key for: it is in no book. */
export const UNMETERED: PassThroughSession = {
  sent: () => undefined,
  answered: () => undefined,
  headers: () => ({}),
  succeed: () => Promise.resolve(),
  fail: () => Promise.resolve(),
};

const FEMTO_PER_NANO = 1_000_000n;
const lists = new WeakMap<PassThrough, Prices>();

/** By what a call is charged; null where it costs nothing. */
export function sheetOf(deps: GatewayDeps, endpoint: PassThrough): PriceSheet | null {
  if (!endpoint.costPerRequest) return null;
  const prices = lists.get(endpoint) ?? { request: flatPrice(endpoint.costPerRequest * FEMTO_PER_NANO) };
  lists.set(endpoint, prices);
  return priceSheet(prices, "standard", deps.settings().markupBp);
}

/**
 * A call in the books that has no model. It is charged as soon as the target has answered with success, and when the caller
 * leaves while the target, which has all of it, works: else whoever does not wait would pay nothing.
 */
export class PassThroughCall implements PassThroughSession {
  private hasAll = false;
  private status: number | null = null;
  private firstByteMs: number | null = null;
  private ended: Promise<void> | null = null;

  constructor(
    private readonly deps: GatewayDeps,
    private readonly call: InferenceCall,
    private readonly record: CallDraft,
    private readonly sheet: PriceSheet | null,
    private readonly admission: CreditHold,
    private readonly permit: Permit,
  ) {}

  sent(): void {
    this.hasAll = true;
  }

  answered(status: number): void {
    this.status = status;
    this.firstByteMs = this.elapsedMs();
    // Should this process end before the answer does, it is charged all the same.
    if (this.sheet && isSuccess(status)) this.deps.books.journal.progress(this.record.id, {}, this.amount());
  }

  headers(): Record<string, string> {
    const cost = isSuccess(this.status) ? this.amount() : 0n;
    return this.call.responseMeta.addTo({ ...keyRules(this.call.caller), "x-gw-response-cost": formatUsd(cost) });
  }

  succeed(): Promise<void> {
    this.ended ??= this.close((this.status ?? 0) < 400 ? "succeeded" : "failed", null);
    return this.ended;
  }

  fail(thrown: unknown): Promise<void> {
    const left = this.call.signal.aborted || thrown === CLIENT_DISCONNECTED;
    this.ended ??= this.close(left ? "cancelled" : isSuccess(this.status) ? "partial" : "failed", thrown);
    return this.ended;
  }

  private async close(status: CallStatus, thrown: unknown): Promise<void> {
    const { deps, record, admission } = this;
    const sheet = this.isCharged(status) ? this.sheet : null;
    const { cost, providerCost, parts } = sheet ? costOf(sheet, NO_UNITS) : NO_COST;
    Object.assign(record, outcome(status, thrown));
    if (this.status !== null && status !== "cancelled") {
      record.statusCode = this.status;
      record.errorCode = status === "succeeded" ? null : ERRORS.upstream.code;
    }
    record.cost = cost;
    record.providerCost = providerCost;
    record.costParts = parts;
    record.priceVersion = sheet?.version ?? null;
    record.latencyMs = Math.round(this.elapsedMs());
    record.firstByteMs = this.firstByteMs === null ? null : Math.round(this.firstByteMs);
    try {
      await deps.books.journal.end(record, admission.creditSources);
      if (cost > 0n) admission.hold.settle(cost);
      else admission.hold.release();
    } catch (err) {
      // The journal has it as open and charges it when it is replayed.
      admission.hold.release();
      deps.log.error({ callId: record.id, err }, "a call could not be written down");
    }
    const others = this.permit.end(0);
    if (others) await others;
  }

  private isCharged(status: CallStatus): boolean {
    return this.status === null ? status === "cancelled" && this.hasAll : isSuccess(this.status);
  }

  private amount(): bigint {
    return this.sheet ? amountOf(this.sheet, NO_UNITS) : 0n;
  }

  private elapsedMs(): number {
    return this.deps.clock.monotonicMs() - this.call.receivedAtMs;
  }
}

const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;
