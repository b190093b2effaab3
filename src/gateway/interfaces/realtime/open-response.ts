import { amountOf, costOf, NO_COST } from "../../../catalog/cost.ts";
import type { PriceSheet } from "../../../catalog/price-sheet.ts";
import { type CallStatus, type ChargedUnits, NO_UNITS } from "../../../contract/usage.ts";
import type { Permit } from "../../../limits/meter.ts";
import type { GatewayDeps } from "../../call/gateway.ts";
import { tokensOf } from "../../limits/request-tokens.ts";
import { outcome } from "../../metering/outcome.ts";
import type { CreditHold } from "../../metering/reservation.ts";
import { type CallDraft, setUnits } from "../../metering/usage-record.ts";

/** What is set aside for a response before it begins: credit, and its place in limits of tokens. */
export interface Reservation {
  readonly admission: CreditHold;
  readonly permit: Permit;
}

export function release({ admission, permit }: Reservation): void {
  admission.hold.release();
  permit.end(0);
}

/** How often the journal is told what a running response would cost. */
const PROGRESS_MS = 1_000;
/** Sound is about 64,000 characters of base64 a second and twenty tokens; of text a token takes about four. */
const CHARS_PER_AUDIO_TOKEN = 3_200;
const CHARS_PER_TEXT_TOKEN = 4;

/** One response of a session, in the books: from when it begins until its usage is told, or it breaks off. */
export class OpenResponse {
  private audioChars = 0;
  private textChars = 0;
  private writtenAtMs: number;
  private firstByteMs: number | null = null;

  constructor(
    private readonly deps: GatewayDeps,
    private readonly record: CallDraft,
    private readonly sheet: PriceSheet | null,
    private readonly reservation: Reservation,
    private readonly beganAtMs: number,
  ) {
    this.writtenAtMs = beganAtMs;
    record.priceVersion = sheet?.version ?? null;
    record.estimated = true;
  }

  /** Known to the books; if this process ends before the response does, it is charged what it had come to. */
  async write(): Promise<void> {
    if (this.sheet) this.deps.books.keepSheet(this.sheet);
    const { creditSources } = this.reservation.admission;
    await this.deps.books.journal.open({ record: this.record, creditSources, inputCost: 0n });
  }

  /** So much of it was delivered. */
  deliver(chars: number, isSound: boolean): void {
    if (isSound) this.audioChars += chars;
    else this.textChars += chars;
    const now = this.deps.clock.monotonicMs();
    this.firstByteMs ??= now - this.beganAtMs;
    if (now - this.writtenAtMs < PROGRESS_MS) return;
    this.writtenAtMs = now;
    const units = this.unitsSoFar();
    this.deps.books.journal.progress(this.record.id, units, this.sheet ? amountOf(this.sheet, units) : 0n);
  }

  /** By what was delivered: a response that broke off has told nothing, and its prompt is not known. */
  unitsSoFar(): ChargedUnits {
    const audioOutputTokens = Math.ceil(this.audioChars / CHARS_PER_AUDIO_TOKEN);
    const completionTokens = audioOutputTokens + Math.ceil(this.textChars / CHARS_PER_TEXT_TOKEN);
    return { ...NO_UNITS, completionTokens, audioOutputTokens };
  }

  /** Ends it, once. `units` is null where they were not told. */
  async end(status: CallStatus, units: ChargedUnits | null, upstreamId: string | null, thrown: unknown): Promise<void> {
    const { deps, record, sheet, reservation } = this;
    const used = units ?? (status === "failed" ? NO_UNITS : this.unitsSoFar());
    const { cost, providerCost, parts } = sheet && status !== "failed" ? costOf(sheet, used) : NO_COST;
    setUnits(record, used);
    Object.assign(record, outcome(status, thrown));
    record.upstreamId = upstreamId;
    record.cost = cost;
    record.providerCost = providerCost;
    record.costParts = parts;
    record.estimated = units === null && status !== "failed";
    record.latencyMs = Math.round(deps.clock.monotonicMs() - this.beganAtMs);
    record.firstByteMs = this.firstByteMs === null ? null : Math.round(this.firstByteMs);
    const { hold, creditSources } = reservation.admission;
    try {
      await deps.books.journal.end(record, creditSources);
      if (cost > 0n) hold.settle(cost);
      else hold.release();
    } catch (err) {
      // The journal has it as open and charges it when it is replayed.
      hold.release();
      deps.log.error({ callId: record.id, err }, "a response could not be written down");
    }
    reservation.permit.end(tokensOf(used));
    deps.metrics.countTokens(record.model ?? "", used.promptTokens, used.completionTokens);
  }
}
