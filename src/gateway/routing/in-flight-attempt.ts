import type { Deployment } from "../../contract/deployment.ts";
import type { ErrorKind } from "../../contract/errors.ts";
import type { Operation } from "../../contract/params.ts";
import type { DeploymentState, Waiting } from "./deployment-state.ts";
import { isDeploymentFault, UPSTREAM_REFUSES } from "./failure-kinds.ts";
import type { GroupView, Member } from "./group-snapshot.ts";
import { argument, DECAY_SECONDS } from "./strategy.ts";

export interface AttemptResult {
  readonly ok: boolean;
  /** Null beside `ok: false`: the caller left. */
  readonly kind: ErrorKind | null;
  readonly retryAfterMs: number | null;
  readonly completionTokens: number;
  readonly promptTokens: number;
}

/** One attempt at a deployment: in flight from the choice until `end`, which counts once. */
export interface Try {
  readonly deployment: Deployment;
  /** The last call that ended there failed: there is less hope than elsewhere. */
  readonly failedLast: boolean;
  /** It rests, or nothing has come of several calls in a row until just now. */
  readonly isUnhealthy: boolean;
  /** An operator has switched the deployment off since it was chosen. */
  readonly isSwitchedOff: boolean;
  /** It was held back until now: its time counts from here. */
  restart(): void;
  firstByte(): void;
  end(ending: AttemptResult): void;
  /** It was not made after all. */
  drop(): void;
}

/** What a time-out counts as for the strategy that goes by the mean of latencies, in seconds. */
const TIMED_OUT_SECONDS = 1000;
const LIST_SIZE = 10;
/** Each failure counts twice the time before it, up to this. */
const FAILED_MS_MAX = 60_000;
/** After so many failures in a row there is little hope, for so long after the last one. */
const HOPELESS_IN_A_ROW = 5;
const HOPELESS_MS = 5_000;

export class InFlightAttempt implements Try, Waiting {
  before: Waiting | null = null;
  after: Waiting | null = null;
  private firstByteMs: number | null = null;
  private over = false;
  private readonly probe: boolean;

  constructor(
    private readonly member: Member,
    private readonly view: GroupView,
    private readonly operation: Operation,
    readonly stream: boolean,
    private readonly nowMs: () => number,
    public begunAtMs: number,
  ) {
    const { state } = member;
    this.probe = state.breaker.begin(begunAtMs);
    state.inFlight++;
    state.calls++;
    state.lastUsedMs = begunAtMs;
    state.enqueue(this);
  }

  get deployment(): Deployment {
    return this.member.deployment;
  }

  get failedLast(): boolean {
    return this.member.state.failedInARow > 0;
  }

  get isUnhealthy(): boolean {
    if (this.probe) return false;
    const { breaker, failedInARow, lastFailedMs } = this.member.state;
    const now = this.nowMs();
    if (breaker.standing(now) !== "closed") return true;
    // Where cooldowns are switched off, and behind a pattern, nothing ever rests.
    return failedInARow >= HOPELESS_IN_A_ROW && now - lastFailedMs < HOPELESS_MS;
  }

  get isSwitchedOff(): boolean {
    return !this.member.state.enabled;
  }

  drop(): void {
    if (this.over) return;
    this.restart();
    this.member.state.calls--;
    this.end({ ok: false, kind: null, retryAfterMs: null, completionTokens: 0, promptTokens: 0 });
  }

  restart(): void {
    if (this.firstByteMs !== null || this.over) return;
    const { state } = this.member;
    state.dequeue(this);
    this.begunAtMs = this.nowMs();
    state.enqueue(this);
  }

  firstByte(): void {
    if (this.firstByteMs !== null || this.over) return;
    const now = this.nowMs();
    this.firstByteMs = now - this.begunAtMs;
    const { state } = this.member;
    state.dequeue(this);
    state.average(this.stream).observe(this.firstByteMs, now, this.decayMs);
    state.measure(this.stream, this.firstByteMs);
    if (this.probe) state.breaker.answers(this.begunAtMs);
    if (this.stream) this.view.usualStreamMs = drift(this.view.usualStreamMs, this.firstByteMs);
    else this.view.usualPlainMs = drift(this.view.usualPlainMs, this.firstByteMs);
    if (this.stream) this.list(state, this.firstByteMs / 1000, now);
  }

  end(told: AttemptResult): void {
    if (this.over) return;
    const ending = this.isUnsupportedOperation(told) ? { ...told, kind: "invalid_request" as const } : told;
    if (ending.ok) this.firstByte();
    this.over = true;
    const { state, resting } = this.member;
    const now = this.nowMs();
    state.inFlight--;
    state.lastUsedMs = now;
    if (this.firstByteMs === null) state.dequeue(this);
    if (ending.ok) this.noteAnswer(state, ending.completionTokens, now);
    else if (ending.kind === null) this.noteLeaving(state, now);
    else if (isDeploymentFault(ending.kind)) this.noteFailure(state, ending.kind, now);
    const tokens = ending.promptTokens + ending.completionTokens;
    if (tokens > 0) state.countTokens(tokens, now);
    const alone = this.view.members.length === 1;
    const call = { nowMs: now, begunAtMs: this.begunAtMs, probe: this.probe, alone };
    state.breaker.end(ending, resting, call);
  }

  /** Who answers chats and refuses an embedding is no model for that: the caller's mistake shuts it off for nobody. */
  private isUnsupportedOperation({ kind }: AttemptResult): boolean {
    const { answered } = this.member.state;
    return kind !== null && UPSTREAM_REFUSES.has(kind) && answered.size > 0 && !answered.has(this.operation);
  }

  /** A long answer takes longer, which is not the deployment's fault. */
  private noteAnswer(state: DeploymentState, tokens: number, now: number): void {
    state.failedInARow = 0;
    state.answered.add(this.operation);
    // A caller's answer is better news than a check.
    if (state.checked?.ok === false) state.checked = null;
    if (!this.stream) this.list(state, (now - this.begunAtMs) / 1000 / Math.max(1, tokens), now);
  }

  /** Who left before the first byte has waited in vain: it takes that long at least. */
  private noteLeaving(state: DeploymentState, now: number): void {
    const waitedMs = now - this.begunAtMs;
    const average = state.average(this.stream);
    if (this.firstByteMs === null && waitedMs > average.lastMs) average.observe(waitedMs, now, this.decayMs);
  }

  /** Failing at once is not being quick: else all calls would run to a deployment that refuses them. */
  private noteFailure(state: DeploymentState, kind: ErrorKind, now: number): void {
    state.failures++;
    state.failedInARow++;
    state.lastFailedMs = now;
    const { view, stream } = this;
    const usual = Math.max(stream ? view.usualStreamMs : view.usualPlainMs, state.average(stream).lastMs);
    const counted = Math.max(now - this.begunAtMs, Math.min(usual * 2, FAILED_MS_MAX));
    state.average(stream).observe(counted, now, this.decayMs);
    if (kind === "timeout") this.list(state, TIMED_OUT_SECONDS, now);
  }

  private list(state: DeploymentState, seconds: number, now: number): void {
    const { rule } = this.view;
    if (rule.strategy !== "latency-based-routing") return;
    state.times(this.stream).add(seconds, now, argument(rule, "max_latency_list_size", LIST_SIZE));
  }

  private get decayMs(): number {
    return argument(this.view.rule, "decay", DECAY_SECONDS) * 1000;
  }
}

/** The first time is taken as it is, later ones move it a little. */
const drift = (usual: number, sample: number): number => (usual === 0 ? sample : usual + (sample - usual) * 0.05);
