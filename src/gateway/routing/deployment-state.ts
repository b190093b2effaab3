import type { Operation } from "../../contract/params.ts";
import { Breaker } from "./breaker.ts";
import { LatencyList } from "./latency-window.ts";
import { PeakAverage } from "./peak-ewma.ts";

const MINUTE_MS = 60_000;

/** A call that waits for its first byte, in the line of those that do. */
export interface Waiting {
  readonly begunAtMs: number;
  readonly stream: boolean;
  before: Waiting | null;
  after: Waiting | null;
}

/** What a background check found, in wall time. */
export interface Check {
  readonly ok: boolean;
  readonly latencyMs: number;
  readonly atMs: number;
}

/** What this process knows about one deployment. */
export class DeploymentState {
  readonly breaker = new Breaker();
  /** Time to the first byte: of streams, and of plain answers, which come as a whole. */
  readonly streams = new PeakAverage();
  readonly plain = new PeakAverage();
  /** The same, of answers alone: what failed or was left counts for the router and was not measured. */
  streamMeasuredMs: number | null = null;
  plainMeasuredMs: number | null = null;
  readonly streamTimes = new LatencyList();
  readonly plainTimes = new LatencyList();

  /** Set by an operator at run time. */
  enabled = true;
  weight: number | null = null;
  /** What was set last about its rest, in wall time: until when, and when one was ended. */
  restUntil: number | null = null;
  clearedAt: number | null = null;
  /** What the last background check found; null where none was made. */
  checked: Check | null = null;

  /** What it has answered since this process began. */
  readonly answered = new Set<Operation>();
  inFlight = 0;
  calls = 0;
  failures = 0;
  failedInARow = 0;
  lastFailedMs = 0;
  lastUsedMs = 0;

  private minute = -1;
  private minuteTokens = 0;
  private tokensPerCall = 0;

  private longest: Waiting | null = null;
  private shortest: Waiting | null = null;

  average(stream: boolean): PeakAverage {
    return stream ? this.streams : this.plain;
  }

  measure(stream: boolean, firstByteMs: number): void {
    if (stream) this.streamMeasuredMs = moved(this.streamMeasuredMs, firstByteMs);
    else this.plainMeasuredMs = moved(this.plainMeasuredMs, firstByteMs);
  }

  times(stream: boolean): LatencyList {
    return stream ? this.streamTimes : this.plainTimes;
  }

  /** How long the oldest of the calls that still wait for their first byte has waited. */
  longestWaitMs(nowMs: number): number {
    return this.longest === null ? 0 : nowMs - this.longest.begunAtMs;
  }

  /** Whether a call of this kind waits for its first byte. */
  isAwaited(stream: boolean): boolean {
    for (let one = this.longest; one !== null; one = one.after) if (one.stream === stream) return true;
    return false;
  }

  enqueue(waiting: Waiting): void {
    waiting.before = this.shortest;
    if (this.shortest === null) this.longest = waiting;
    else this.shortest.after = waiting;
    this.shortest = waiting;
  }

  dequeue(waiting: Waiting): void {
    if (waiting.before === null) this.longest = waiting.after;
    else waiting.before.after = waiting.after;
    if (waiting.after === null) this.shortest = waiting.before;
    else waiting.after.before = waiting.before;
    waiting.before = null;
    waiting.after = null;
  }

  countTokens(tokens: number, nowMs: number): void {
    this.turnMinute(nowMs);
    this.minuteTokens += tokens;
    this.tokensPerCall += (tokens - this.tokensPerCall) * 0.1;
  }

  /** Of this minute, with those that are under way, at what a call usually takes: else a burst would all go to one place. */
  expectedTokens(nowMs: number): number {
    this.turnMinute(nowMs);
    return this.minuteTokens + this.inFlight * this.tokensPerCall;
  }

  private turnMinute(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute === this.minute) return;
    this.minute = minute;
    this.minuteTokens = 0;
  }
}

const moved = (average: number | null, sample: number): number =>
  average === null ? sample : average + (sample - average) * 0.2;
