import { GatewayError } from "../contract/errors.ts";

/** From when on calls of models are turned away; 0 switches a bound off. */
export interface OverloadLimits {
  /** The event loop is late by this much. */
  readonly delayMsMax: number;
  /** Requests that this process is serving at one time, streams included. */
  readonly pendingMax: number;
}

/** How long the event loop goes on being late after it was first noticed: a single long step is no overload. */
const LATE_FOR_MS = 1000;
const RETRY_SECONDS = 1;

/**
 * Turns calls of models away while this process cannot keep up, before their key is looked at and their body is read: a
 * quick refusal leaves time for the calls that are running. Health, log-in and management are always let in.
 */
export class Overload {
  /** Since when the loop has been late; null while it is not. */
  private lateSinceMs: number | null = null;
  private shedCount = 0;

  constructor(
    private readonly limits: () => OverloadLimits,
    /** The request that asks is one of them. */
    private readonly pending: () => number,
    private readonly monotonicMs: () => number,
  ) {}

  /** Calls that were turned away so far. */
  get shed(): number {
    return this.shedCount;
  }

  /** To be told each delay of the event loop as it is measured. */
  noteDelay(delayMs: number): void {
    const { delayMsMax } = this.limits();
    if (delayMsMax === 0 || delayMs < delayMsMax) this.lateSinceMs = null;
    // A machine that was stopped for a while is late once, and there is nothing to turn calls away for.
    else this.lateSinceMs ??= this.monotonicMs();
  }

  /** Throws where a call of a model is one too many. */
  check(): void {
    const { pendingMax } = this.limits();
    const isLate = this.lateSinceMs !== null && this.monotonicMs() - this.lateSinceMs >= LATE_FOR_MS;
    const pending = this.pending();
    // A call that comes alone is not what the process is late for: others on the machine are.
    if (!(isLate && pending > 1) && (pendingMax === 0 || pending <= pendingMax)) return;
    this.shedCount++;
    throw new GatewayError(
      "unavailable",
      "This gateway has more calls than it can serve right now; send the call again.",
      { headers: { "retry-after": String(RETRY_SECONDS) } },
    );
  }
}
