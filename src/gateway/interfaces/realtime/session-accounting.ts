import { chargedPrices } from "../../../catalog/charged-prices.ts";
import { type PriceSheet, priceSheet } from "../../../catalog/price-sheet.ts";
import { realtimeUnits } from "../../../catalog/realtime-usage.ts";
import type { KeyCaller } from "../../../contract/caller.ts";
import type { Deployment } from "../../../contract/deployment.ts";
import type { Operation } from "../../../contract/params.ts";
import type { CallStatus, ChargedUnits } from "../../../contract/usage.ts";
import { NOTHING_HELD } from "../../../ledger/books.ts";
import { BoundedMap } from "../../../lib/bounded-map.ts";
import { newId } from "../../../lib/ids.ts";
import { textOf } from "../../../lib/json.ts";
import { UNLIMITED } from "../../../limits/meter.ts";
import { spentTagRefusal } from "../../attempts/tag-budget.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import type { CallAccounting } from "../../metering/call-accounting.ts";
import { potIds } from "../../metering/credit-sources.ts";
import { transcriptionUnits } from "../../metering/estimate.ts";
import { holdCredit } from "../../metering/hold-credit.ts";
import { pricingOf } from "../../metering/reserve.ts";
import { type CallDraft, loggedModel, newRecord, tagsOf } from "../../metering/usage-record.ts";
import { OpenResponse, type Reservation, release } from "./open-response.ts";

/** Of so many responses that have ended it is known that they have. */
const ENDED_MAX = 1_000;
const UNRESERVED: Reservation = {
  admission: { hold: NOTHING_HELD, creditSources: [], outputMax: null },
  permit: UNLIMITED,
};

/** The money of a session: each response, and each transcript of what was said to it, is a call of its own. */
export class SessionAccounting {
  private readonly responses = new Map<string, OpenResponse>();
  private readonly ended = new BoundedMap<string, true>(ENDED_MAX);
  /** For the response that begins next. */
  private spare: Reservation | null = null;
  private readonly request: Fields;
  private readonly deployment: Deployment;
  private caller: KeyCaller;
  private isOver = false;
  /** Deployments in name, by which the transcripts of a model are priced. */
  private readonly writers = new Map<string, Deployment>();

  constructor(
    private readonly deps: GatewayDeps,
    private readonly call: InferenceCall,
    private readonly accounting: CallAccounting,
    request: Fields,
  ) {
    this.request = { ...request, metadata: { realtime_session_id: call.callId } };
    this.deployment = accounting.reservation.target.deployment;
    this.caller = call.caller;
  }

  /** Whether a response is under way. */
  get isAtWork(): boolean {
    return this.responses.size > 0;
  }

  get openIds(): readonly string[] {
    return [...this.responses.keys()];
  }

  /** What has changed about the key, such as its budgets, holds from now on. */
  renew(caller: KeyCaller): void {
    this.caller = caller;
  }

  /** Before a response is asked for: throws where a budget or the credit has nothing left for it, or a limit no room. */
  async reserve(): Promise<void> {
    if (this.spare !== null) return;
    this.rejectIfTagBudgetExhausted();
    const { deps, deployment, request } = this;
    const call = this.callFor(this.call.callId, this.call.receivedAtMs);
    const permit = await deps.limits.admitPart({ call, request, deployment, tokens: 1 });
    try {
      const { maxInputTokens, maxOutputTokens } = await pricingOf(deps, deployment);
      const { asked } = this.accounting.reservation;
      const { provider, upstreamModel } = deployment;
      const limits = { provider, upstreamModel, maxInputTokens, maxOutputTokens };
      const admission = await holdCredit(deps, { call, asked, model: this.model, sheet: this.sheet(), limits });
      const made = { admission, permit };
      if (this.isOver || this.spare !== null) release(made);
      else this.spare = made;
    } catch (thrown) {
      permit.end(0);
      throw thrown;
    }
  }

  /** A response has begun. One that was not asked for, because somebody stopped speaking, is set aside for only now. */
  async begin(id: string): Promise<void> {
    if (this.responses.has(id) || this.ended.get(id)) return;
    await this.reserve();
    if (this.isOver) return;
    const reservation = this.spare ?? UNRESERVED;
    this.spare = null;
    const response = this.newResponse(reservation);
    this.responses.set(id, response);
    await response.write();
  }

  /** The response that was asked for does not begin: what was set aside for it is free again. */
  dropSpare(): void {
    if (this.spare) release(this.spare);
    this.spare = null;
  }

  /** So much of a response; of all that are under way, which nearly always is one, where it is not known of which. */
  deliver(chars: number, isSound: boolean, id: string | null): void {
    const one = id === null ? undefined : this.responses.get(id);
    for (const response of one ? [one] : this.responses.values()) response.deliver(chars, isSound);
  }

  /** A response has ended, and says what it used. An end that is told again is not charged again. */
  async done(told: Fields): Promise<PriceSheet | null> {
    const id = textOf(told.id) ?? "";
    if (this.ended.get(id)) return null;
    const response = this.responses.get(id) ?? this.newResponse({ ...UNRESERVED, admission: this.unheld() });
    this.responses.delete(id);
    if (id !== "") this.ended.set(id, true);
    const units = realtimeUnits(told.usage);
    await response.end(statusOf(told.status, units), units, id === "" ? null : id, null);
    return this.sheet();
  }

  /** The session ends while responses are under way: what was delivered of them is charged. */
  async breakOff(status: "cancelled" | "partial", thrown: unknown): Promise<void> {
    this.isOver = true;
    this.dropSpare();
    const open = [...this.responses];
    this.responses.clear();
    for (const [id, response] of open) await response.end(status, null, id, thrown);
  }

  /** Throws where nothing is left to call with, by the prices of what was charged last. */
  async requireCredit(sheet: PriceSheet | null): Promise<void> {
    this.rejectIfTagBudgetExhausted();
    const { books, clock } = this.deps;
    const creditSources = sheet && !sheet.free ? books.creditSources.of(this.caller, this.model, clock.nowMs()) : [];
    if (creditSources.length === 0) return;
    const { callId, signal } = this.call;
    const hold = await books.desk.hold({ callId, creditSources, amount: 1n, signal });
    hold.release();
  }

  private rejectIfTagBudgetExhausted(): void {
    const tags = tagsOf(this.request, this.call.source.tags, this.caller.tags);
    const refusal = spentTagRefusal(this.deps, { tags });
    if (refusal) throw refusal;
  }

  /** What was said to the session was written down by a model of its own, at that model's price where it is known. */
  async transcribed(model: string | null, usage: unknown): Promise<PriceSheet | null> {
    const units = realtimeUnits(usage);
    if (units === null) return null;
    const { deps } = this;
    const writer = this.writerOf(model ?? "");
    const tariff = await pricingOf(deps, writer);
    const prices = tariff.free || !tariff.prices ? null : chargedPrices(tariff.prices, "transcription");
    const sheet = prices && priceSheet(prices, "standard", tariff.markupBp ?? deps.settings().markupBp);
    const record = this.newRecord("transcription");
    record.upstreamModel = model;
    const response = new OpenResponse(deps, record, sheet, { ...UNRESERVED, admission: this.unheld() }, this.nowMs());
    if (sheet) deps.books.keepSheet(sheet);
    await response.end(
      "succeeded",
      prices?.second || units.promptTokens === 0 ? transcriptionUnits(units, 0, 0) : units,
      null,
      null,
    );
    return sheet;
  }

  private writerOf(model: string): Deployment {
    const known = this.writers.get(model);
    if (known) return known;
    // `base_model` says that the provider's prices hold behind a private address, for this model too.
    const info = typeof this.deployment.info.base_model === "string" ? { base_model: model } : {};
    const made = { ...this.deployment, upstreamModel: model, info, params: {} };
    this.writers.set(model, made);
    return made;
  }

  private newResponse(reservation: Reservation): OpenResponse {
    const sheet = this.sheet();
    if (sheet) this.deps.books.keepSheet(sheet);
    return new OpenResponse(this.deps, this.newRecord("realtime"), sheet, reservation, this.nowMs());
  }

  private newRecord(operation: Operation): CallDraft {
    const call = this.callFor(newId(), this.nowMs());
    return newRecord(this.deps, call, operation, this.request, this.accounting.reservation.target, "aborted");
  }

  /** For what is charged without having been set aside. */
  private unheld(): Reservation["admission"] {
    const creditSources = potIds(this.deps.books.creditSources.of(this.caller, this.model, this.deps.clock.nowMs()));
    return { hold: NOTHING_HELD, creditSources, outputMax: null };
  }

  private sheet(): PriceSheet | null {
    const { charge } = this.accounting.reservation;
    return charge && priceSheet(charge.prices, "standard", charge.markupBp);
  }

  private get model(): string {
    return loggedModel(this.accounting.reservation.target.deployment, true);
  }

  private nowMs(): number {
    return this.deps.clock.monotonicMs();
  }

  private callFor(callId: string, receivedAtMs: number): InferenceCall {
    return { ...this.call, caller: this.caller, callId, receivedAtMs };
  }
}

/** What was charged for has not failed, whatever became of it. */
function statusOf(status: unknown, units: ChargedUnits | null): CallStatus {
  if (status === "cancelled") return units === null ? "failed" : "cancelled";
  if (status === "failed") return units === null ? "failed" : "partial";
  return "succeeded";
}
