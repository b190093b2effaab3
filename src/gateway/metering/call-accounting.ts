import { amountOf, costOf, NO_COST } from "../../catalog/cost.ts";
import type { ServiceTier } from "../../catalog/price.ts";
import { type PriceSheet, priceSheet } from "../../catalog/price-sheet.ts";
import { makesImages, takesAudio } from "../../contract/params.ts";
import {
  type CallAttempt,
  type CallStatus,
  type CallUnits,
  type ChargedUnits,
  NO_UNITS,
} from "../../contract/usage.ts";
import { dropSource } from "../../lib/source-text.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { ResponseGuard } from "../guardrails/response-guard.ts";
import type { Try } from "../routing/router.ts";
import { CLOSED } from "../streaming/upstream-reader.ts";
import type { StreamRecorder } from "../streaming/write-stream.ts";
import { DeliveredText } from "./delivered-text.ts";
import { askedTier, imageUnits, inputUnits, speechUnits, transcriptionUnits } from "./estimate.ts";
import { attemptResult, type CallEnding, CLIENT_DISCONNECTED, outcome } from "./outcome.ts";
import { isPossibleUsage, reportImpossibleUsage } from "./possible-usage.ts";
import { countExactly, estimateTokens, listenedMs } from "./prompt-size.ts";
import { readTier, readUsage } from "./reported-usage.ts";
import type { Reservation } from "./reservation.ts";
import { truncateJson } from "./truncate-json.ts";
import { loggedModel, setUnits } from "./usage-record.ts";
import type { InterruptedResponse, MeasuredUsage, UsageSource } from "./used.ts";

/** How often a running stream is written down. */
const PROGRESS_MS = 1_000;

const NOTHING: MeasuredUsage = { units: NO_UNITS, estimated: false };

/** The accounting of one call, until `succeed` or `fail` ends it. The last byte of the response waits for that. */
export class CallAccounting {
  /** What the caller has received so far, where the upstream's own count may not come. */
  readonly delivered = new DeliveredText();
  /** What looks at the answer before it leaves. */
  guard: ResponseGuard | null = null;
  /** Where a streamed answer is heard, too. */
  recorder: StreamRecorder | null = null;
  /** A plain answer in JSON as the caller gets it, once it is there. */
  shown: string | null = null;
  /** In nano-USD, once the call has ended; null where it has no price. */
  cost: bigint | null = null;
  private told: ChargedUnits | null = null;
  private source: UsageSource | null = null;
  private counted: Partial<ChargedUnits> = {};
  private tier: ServiceTier;
  private upstreamId: string | null = null;
  private firstByteMs: number | null = null;
  private writtenAtMs: number;
  private answerText: string | null = null;
  private ended: Promise<void> | null = null;
  private triedSinceMs: number;
  /** Whether an upstream has the call, and whether the caller left while one had. */
  private isTrying = false;
  private disconnectedMidAttempt = false;
  private interrupted: InterruptedResponse | null = null;
  private isCut = false;
  private readonly attempts: CallAttempt[] = [];

  constructor(
    private readonly deps: GatewayDeps,
    private readonly call: InferenceCall,
    private at: Reservation,
    private run: Try,
    /** Told when the call has ended and is in the books. */
    private readonly hooks: { end(ending: CallEnding): Promise<unknown> | null },
  ) {
    this.tier = askedTier(at.target.fields);
    this.writtenAtMs = deps.clock.monotonicMs();
    this.triedSinceMs = this.writtenAtMs;
  }

  get reservation(): Reservation {
    return this.at;
  }

  /** Whether something of the answer has been sent: from then on the call cannot go elsewhere. */
  get hasBegun(): boolean {
    return this.firstByteMs !== null;
  }

  /** Whether the answer broke off on its way, and went on elsewhere or had said all. */
  get wasInterrupted(): boolean {
    return this.interrupted !== null || this.isCut;
  }

  /** What speech costs by its characters, however it ends; null where that is known only at its end. */
  get certainCost(): bigint | null {
    const { operation, measure } = this.at.asked;
    const sheet = operation === "speech" && this.at.charge?.prices.character ? this.sheet() : null;
    return sheet && amountOf(sheet, { ...NO_UNITS, characters: measure.characters });
  }

  /** What the call costs by the upstream's count; null where that has not come, or where there is no price. */
  get reportedCost(): bigint | null {
    const units = this.trustedUsage();
    const sheet = units && this.sheet();
    if (units && sheet) return amountOf(sheet, units);
    return units && this.choiceIsFree() ? 0n : null;
  }

  markTruncated(): void {
    this.isCut = true;
  }

  /** The call was tried at one deployment in vain and goes on at another one, or at the same one again. */
  moveTo(at: Reservation, run: Try): void {
    this.remember();
    this.at = at;
    this.run = run;
    this.tier = askedTier(at.target.fields);
    // What an attempt that failed has told counts for nothing.
    this.told = null;
    this.source = null;
    this.counted = {};
    this.upstreamId = null;
  }

  /** The call is sent to the present deployment. */
  send(): void {
    this.triedSinceMs = this.deps.clock.monotonicMs();
    this.isTrying = true;
  }

  /** The try at the present deployment has failed before anything was sent to the caller. */
  failAttempt(thrown: unknown): void {
    if (!this.isTrying) return;
    this.disconnectedMidAttempt = this.call.signal.aborted;
    this.endAttempt(this.disconnectedMidAttempt ? "cancelled" : "failed", thrown, NO_UNITS);
  }

  /** The upstream's own count, from wherever it stands in the answer; `answer` is what else is told there. */
  report(usage: unknown, answer: Fields = {}): void {
    const reported = readUsage(this.at.asked.operation, usage);
    if (reported === null || isPossibleUsage(this.at, reported)) this.told = reported ?? this.told;
    else reportImpossibleUsage(this.deps, this.call, this.at.target.deployment, reported);
    const tier = readTier(answer.service_tier ?? (usage as Fields | null)?.service_tier);
    if (tier) this.tier = tier;
    if (typeof answer.id === "string" && !answer.id.endsWith(this.call.callId)) this.upstreamId = answer.id;
  }

  follow(source: UsageSource): void {
    this.source = source;
  }

  /** Whether what the answer says need not be counted here; no tokens at all of a text is worth another look. */
  get isCounted(): boolean {
    const { operation } = this.at.asked;
    if (operation !== "chat" && operation !== "completion") return true;
    return this.told !== null && this.told.completionTokens > 0;
  }

  /** Units that are no tokens, as they were counted here. */
  count(units: Partial<ChargedUnits>): void {
    this.counted = { ...this.counted, ...units };
  }

  /** The whole answer, as JSON text, for organizations that keep it. */
  keep(json: string): void {
    if (this.call.caller.standing?.storePrompts) this.answerText = json;
  }

  /** The answer begins: from now on a failure leaves a part of it delivered. */
  begin(): void {
    if (this.firstByteMs !== null) return;
    this.firstByteMs = this.elapsedMs();
    dropSource(this.at.target.fields);
    this.run.firstByte();
  }

  /** An answer that nobody pulls any more ends with its time limit, or with its caller's connection. */
  watch(signal: AbortSignal): void {
    const onAbort = (): void => {
      // One that was closed has ended already, or its failure is on its way to whoever tries the call elsewhere.
      if (signal.reason !== CLOSED && this.hasBegun) void this.fail(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
  }

  /** Something was delivered; now and then the journal is told how much, in case this process ends. */
  progress(): void {
    const now = this.deps.clock.monotonicMs();
    if (now - this.writtenAtMs < PROGRESS_MS) return;
    this.writtenAtMs = now;
    const { units } = this.soFar();
    const sheet = this.sheet();
    this.deps.books.journal.progress(this.call.callId, units, sheet ? amountOf(sheet, units) : 0n);
  }

  /** Ends a call that was answered whole. */
  succeed(): Promise<void> {
    this.ended ??= this.close("succeeded", null);
    return this.ended;
  }

  /** Ends a call that was not: because the caller left, or because the upstream failed before or after its first byte. */
  fail(thrown: unknown): Promise<void> {
    if (this.ended) return this.ended;
    const left = this.call.signal.aborted || thrown === CLIENT_DISCONNECTED;
    const status = left ? "cancelled" : this.firstByteMs === null ? "failed" : "partial";
    this.ended = this.close(status, thrown);
    return this.ended;
  }

  /** Ends a call whose answer is there and is not let go: the caller gets an error, and pays for what was used. */
  refuse(thrown: unknown): Promise<void> {
    if (this.ended || this.call.signal.aborted) return this.fail(thrown);
    this.begin();
    this.ended = this.close("partial", thrown, outcome("failed", thrown));
    return this.ended;
  }

  private async close(status: CallStatus, thrown: unknown, told = outcome(status, thrown)): Promise<void> {
    const { deps } = this;
    const { admission } = this.at;
    if (status !== "succeeded") this.restoreInterrupted();
    const { record } = this.at;
    if (this.isTrying && status === "cancelled") this.disconnectedMidAttempt = true;
    try {
      const used = this.used(status);
      const { units, estimated } = used instanceof Promise ? await used : used;
      const sheet = this.isFree(status) ? null : this.sheet();
      const { cost, providerCost, parts } = sheet ? costOf(sheet, units) : NO_COST;
      if (sheet) deps.books.keepSheet(sheet);
      this.cost = this.at.charge || this.choiceIsFree() ? cost : null;
      if (this.isTrying) this.endAttempt(status, thrown, units);
      if (estimated) this.call.responseMeta.estimate = units;
      setUnits(record, units);
      record.status = status;
      record.model = loggedModel(this.at.target.deployment, this.isKnownUpstream(status, told.statusCode));
      record.statusCode = told.statusCode;
      record.errorCode = told.errorCode;
      record.upstreamId = this.upstreamId;
      record.cost = cost;
      record.providerCost = providerCost;
      record.costParts = parts;
      record.estimated = estimated;
      record.priceVersion = sheet?.version ?? null;
      record.latencyMs = Math.round(this.elapsedMs());
      record.firstByteMs = this.firstByteMs === null ? null : Math.round(this.firstByteMs);
      record.attempts = this.attempts;
      await deps.books.journal.end(record, admission.creditSources);
      if (cost > 0n) admission.hold.settle(cost);
      else admission.hold.release();
      deps.metrics.countTokens(this.at.target.deployment.group, units.promptTokens, units.completionTokens);
      this.keepTexts();
      const ended = this.tell({ status, units, estimated, cost, thrown });
      if (ended) await ended;
    } catch (error) {
      // Nothing here is the caller's to know; the journal has the call as open and charges it when it is replayed.
      admission.hold.release();
      deps.log.error({ callId: this.call.callId, err: error }, "a call could not be written down");
      this.tell({ status, units: NO_UNITS, estimated: true, cost: 0n, thrown });
    }
  }

  /** What an answer that broke off is charged by, unless somebody goes on with it. */
  private remember(): void {
    const { at, tier, told, source, counted, upstreamId } = this;
    const { bytes } = this.delivered;
    if (this.hasBegun && bytes > (this.interrupted?.bytes ?? -1))
      this.interrupted = { at, tier, told, source, counted, upstreamId, bytes };
  }

  /** Whoever was to go on has said nothing: the answer is that of the one that broke off. */
  private restoreInterrupted(): void {
    if (this.interrupted?.bytes !== this.delivered.bytes) return;
    const { bytes, ...state } = this.interrupted;
    Object.assign(this, state);
  }

  private tell(ending: CallEnding): Promise<unknown> | null {
    this.call.onCost?.(ending.cost, ending.units);
    return this.hooks.end(ending);
  }

  /** No upstream has done anything: each failed, or the caller left before one was asked. */
  private isFree(status: CallStatus): boolean {
    if (status === "cancelled") return !(this.hasBegun || this.disconnectedMidAttempt);
    return status === "failed";
  }

  /** Whether an upstream has taken the model's name: it answers, or fails for a reason of its own. */
  private isKnownUpstream(status: CallStatus, statusCode: number): boolean {
    if (status === "failed") return statusCode >= 500 || statusCode === 429 || statusCode === 408;
    return status !== "cancelled" || this.hasBegun;
  }

  private used(status: CallStatus): MeasuredUsage | Promise<MeasuredUsage> {
    // What is used in a session is used by its responses, which are calls of their own.
    if (this.isFree(status) || this.at.asked.operation === "realtime") return NOTHING;
    const units = this.trustedUsage();
    if (units) return { units, estimated: false };
    return status === "succeeded" ? this.whole() : this.soFar();
  }

  /** The upstream's count, unless it is of no tokens and some were delivered: some count nothing before the end. */
  private trustedUsage(): ChargedUnits | null {
    if (!this.told || !this.isTold(this.told) || this.at.asked.operation === "speech") return null;
    // Whoever answers in a chat has read it: a prompt of nothing was not counted.
    if (this.told.promptTokens === 0 && this.at.asked.operation === "chat") return null;
    return { ...this.told, ...this.counted };
  }

  /** Whether a count has what the call is charged by. */
  private isTold({ completionTokens, soundMs }: CallUnits): boolean {
    const { operation } = this.at.asked;
    if (takesAudio(operation) && this.at.charge?.prices.second) return soundMs > 0;
    return completionTokens > 0 || this.delivered.bytes === 0;
  }

  /** Of an answer that came whole without a count. The tokenizer is asked only where money depends on it. */
  private async whole(): Promise<MeasuredUsage> {
    const { operation, measure } = this.at.asked;
    if (operation === "speech" || takesAudio(operation)) return this.soFar();
    const sheet = this.sheet();
    const exact = sheet !== null && !sheet.free;
    const told = this.toldSoFar();
    const prompt = told?.promptTokens || (exact ? await countExactly(measure) : estimateTokens(measure));
    const { text, bytes } = this.delivered;
    const said = { texts: [text], bytes, counted: null, extraTokens: 0 };
    const completion = exact ? await countExactly(said) : estimateTokens(said);
    const completionTokens = Math.max(told?.completionTokens ?? 0, completion);
    const pictures = makesImages(operation) && completionTokens === 0 ? imageUnits(this.counted.images ?? 0) : null;
    const tokens = { ...told, promptTokens: prompt, completionTokens, ...pictures };
    // A picture is counted as such, and moderation says nothing: neither is a guess where no token is charged.
    const estimated = !(makesImages(operation) && sheet?.prices.image !== undefined);
    return { units: { ...NO_UNITS, ...tokens, ...this.counted }, estimated };
  }

  /** What was used so far, as well as it can be said without a count. */
  private soFar(): MeasuredUsage {
    const trustedUsage = this.trustedUsage();
    if (trustedUsage) return { units: trustedUsage, estimated: false };
    const { operation, measure } = this.at.asked;
    const said = estimateTokens({ bytes: this.delivered.bytes, extraTokens: 0 });
    if (operation === "speech") return speechUnits(this.told, measure, this.at.charge?.prices);
    const input = inputUnits(this.at.asked);
    if (takesAudio(operation)) {
      const soundMs = listenedMs(this.at.asked.uploaded.sound, this.counted.soundMs);
      return { units: transcriptionUnits(this.told, soundMs, said), estimated: true };
    }
    const told = this.toldSoFar();
    const units = told
      ? {
          ...told,
          promptTokens: told.promptTokens || input.promptTokens,
          completionTokens: Math.max(told.completionTokens, said),
        }
      : { ...input, completionTokens: said };
    return { units: { ...units, ...this.counted }, estimated: true };
  }

  /** Some tell what the prompt came to, and how much of it a cache had, before the first word; of the answer they know less than we. */
  private toldSoFar(): ChargedUnits | null {
    const before = this.source && readUsage(this.at.asked.operation, this.source.usageSoFar);
    if (!this.told || !before || this.told.promptTokens > 0) return this.told ?? before;
    const { completionTokens, reasoningTokens, audioOutputTokens, imageOutputTokens = 0 } = this.told;
    return { ...before, completionTokens, reasoningTokens, audioOutputTokens, imageOutputTokens };
  }

  private sheet(): PriceSheet | null {
    return this.at.charge && priceSheet(this.at.charge.prices, this.tier, this.at.charge.markupBp);
  }

  private choiceIsFree(): boolean {
    return this.at.target.deployment.info.free === true;
  }

  private endAttempt(status: CallStatus, thrown: unknown, units: CallUnits): void {
    this.isTrying = false;
    const { statusCode, errorCode } = outcome(status, thrown);
    const { id: deploymentId, provider } = this.run.deployment;
    const latencyMs = Math.round(this.deps.clock.monotonicMs() - this.triedSinceMs);
    this.attempts.push({ deploymentId, provider, statusCode, error: errorCode, latencyMs });
    this.run.end(attemptResult(status, thrown, units, this.deps.clock.nowMs(), this.at.target));
  }

  private keepTexts(): void {
    if (!this.call.caller.standing?.storePrompts) return;
    const said = this.delivered.text;
    const delivered = this.answerText ?? (said === "" ? null : JSON.stringify(said));
    const sent = JSON.stringify(this.at.asked.fields);
    const request = this.guard?.storedRequest(sent) ?? sent;
    const answer = this.guard ? this.guard.storedAnswer(delivered) : delivered;
    this.deps.books.keepTexts(this.call.callId, truncateJson(request), answer === null ? null : truncateJson(answer));
  }

  private elapsedMs(): number {
    return this.deps.clock.monotonicMs() - this.call.receivedAtMs;
  }
}
