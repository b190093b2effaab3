import type { ErrorKind } from "../../contract/errors.ts";
import { allowedFails, type BreakerSettings, isDeploymentFault, UPSTREAM_REFUSES } from "./failure-kinds.ts";

/** An ended call, as the breaker sees it. */
export interface BreakerEnding {
  readonly ok: boolean;
  /** Null beside `ok: false`: the caller left, which says nothing about the deployment. */
  readonly kind: ErrorKind | null;
  readonly retryAfterMs: number | null;
}

/** Failures in a row, within this time, after which a deployment rests. */
const IN_A_ROW = 5;
const IN_A_ROW_MS = 10_000;
/** A deployment that fails more than every second call rests, once there were so many calls within the minute. */
const CALLS_MIN = 5;
const MINUTE_MS = 60_000;
/** However often it failed, and whatever an upstream says: after this it gets another chance, unless the settings ask for longer. */
const COOLDOWN_MAX_MS = 300_000;

/**
 * Whether calls may go to one deployment: closed, open until a time, then one probe at a time until one succeeds. While a
 * probe's answer comes in others may go there too, since a stream can take minutes; the first one that fails opens it again.
 */
export class Breaker {
  private openUntilMs = Number.NEGATIVE_INFINITY;
  private openedAtMs = Number.NEGATIVE_INFINITY;
  private closedAtMs = Number.NEGATIVE_INFINITY;
  private isOpen = false;
  private isByHand = false;
  /** Until when the upstream itself has asked not to be called; its rest may be longer. */
  private heldUntilMs = Number.NEGATIVE_INFINITY;
  private probing = false;
  /** A probe's answer has begun. */
  private onTrial = false;
  private trips = 0;
  private lastMs = 0;

  private inARow = 0;
  private rowSinceMs = 0;
  private minuteSinceMs = Number.NEGATIVE_INFINITY;
  private calls = 0;
  private fails = 0;

  /** `closed`: as usual. `resting`: others first. `ready`: may be probed. `probed`: a probe is under way. */
  standing(nowMs: number): "closed" | "resting" | "ready" | "probed" {
    if (!this.isOpen) return "closed";
    if (nowMs < this.openUntilMs) return "resting";
    if (this.onTrial) return "closed";
    return this.probing ? "probed" : "ready";
  }

  /** Milliseconds for which the upstream asked not to be called. */
  heldMs(nowMs: number): number {
    return this.isOpen ? Math.max(0, this.heldUntilMs - nowMs) : 0;
  }

  /** When the rest ends; null where there is none. */
  untilMs(nowMs: number): number | null {
    return this.isOpen && nowMs < this.openUntilMs ? this.openUntilMs : null;
  }

  get failsInARow(): number {
    return this.inARow;
  }

  /** A call begins; true where it is the probe, which then has to be ended. */
  begin(nowMs: number): boolean {
    if (this.standing(nowMs) !== "ready") return false;
    this.probing = true;
    return true;
  }

  /** The first byte of a probe's answer is there. One from before the present rest, or of a rest that is over, is no news. */
  answers(begunAtMs: number): void {
    if (this.isOpen && begunAtMs >= this.openedAtMs) this.onTrial = true;
  }

  /** `alone`: there is no other deployment in its group. `begunAtMs` tells old news from new. */
  end(
    ending: BreakerEnding,
    settings: BreakerSettings,
    call: { readonly nowMs: number; readonly begunAtMs: number; readonly probe: boolean; readonly alone: boolean },
  ): void {
    const { nowMs } = call;
    // What began before the rest says nothing about what came after, and does not speak for the probe that came after it.
    const isProbe = call.probe && call.begunAtMs >= this.openedAtMs;
    const decides = this.isOpen && (isProbe || (this.onTrial && call.begunAtMs > this.openedAtMs));
    if (isProbe) {
      this.probing = false;
      this.onTrial = false;
    }
    if (ending.ok) this.succeed(call.begunAtMs, nowMs);
    else if (settings.disableCooldowns) {
      // The rest was an operator's, and it is over.
      if (isProbe) this.close(nowMs);
    } else if (ending.kind !== null && isDeploymentFault(ending.kind)) {
      this.countFail(nowMs);
      if (this.isOpen && !decides) return;
      const told = ending.kind === "rate_limit" ? ending.retryAfterMs : null;
      if (decides || this.isEnough(ending.kind, settings, call.alone)) {
        this.trip(settings.cooldownSeconds * 1000, told, nowMs);
      }
    }
  }

  /** By an operator's hand. */
  rest(untilMs: number, nowMs: number): void {
    this.isOpen = true;
    this.isByHand = true;
    this.onTrial = false;
    this.probing = false;
    this.heldUntilMs = Number.NEGATIVE_INFINITY;
    this.openedAtMs = nowMs;
    this.openUntilMs = untilMs;
  }

  /** Rests after failures are switched off. */
  endOwnRest(nowMs: number): void {
    if (this.isOpen && !this.isByHand) this.close(nowMs);
  }

  close(nowMs: number): void {
    this.isOpen = false;
    this.onTrial = false;
    this.heldUntilMs = Number.NEGATIVE_INFINITY;
    this.closedAtMs = nowMs;
    this.inARow = 0;
    this.calls = 0;
    this.fails = 0;
  }

  private succeed(begunAtMs: number, nowMs: number): void {
    this.inARow = 0;
    this.turnMinute(nowMs);
    this.calls++;
    // A call that began before the rest says nothing about what came after.
    if (this.isOpen && begunAtMs > this.openedAtMs) this.close(nowMs);
  }

  private countFail(nowMs: number): void {
    if (this.inARow === 0 || nowMs - this.rowSinceMs > IN_A_ROW_MS) {
      this.inARow = 0;
      this.rowSinceMs = nowMs;
    }
    this.inARow++;
    this.turnMinute(nowMs);
    this.calls++;
    this.fails++;
  }

  private turnMinute(nowMs: number): void {
    if (nowMs - this.minuteSinceMs < MINUTE_MS) return;
    this.minuteSinceMs = nowMs;
    this.calls = 0;
    this.fails = 0;
  }

  private isEnough(kind: ErrorKind, settings: BreakerSettings, alone: boolean): boolean {
    const allowed = allowedFails(kind, settings);
    if (allowed !== null) return this.fails > allowed;
    if (UPSTREAM_REFUSES.has(kind)) return true;
    if (kind === "rate_limit" && !alone) return true;
    if (this.inARow >= IN_A_ROW) return true;
    return !alone && this.calls >= CALLS_MIN && this.fails * 2 > this.calls;
  }

  /** Each time that it does not hold is twice as long as the one before. */
  private trip(baseMs: number, toldMs: number | null, nowMs: number): void {
    if (!this.isOpen && nowMs - this.closedAtMs > Math.max(MINUTE_MS, this.lastMs)) this.trips = 0;
    // An operator who wants a longer rest gets it.
    const mostMs = Math.max(COOLDOWN_MAX_MS, baseMs);
    const grown = Math.min(mostMs, baseMs * 2 ** Math.min(this.trips, 16));
    this.lastMs = Math.min(mostMs, Math.max(grown, toldMs ?? 0));
    this.trips++;
    this.isOpen = true;
    this.isByHand = false;
    this.onTrial = false;
    this.probing = false;
    this.heldUntilMs = toldMs === null ? Number.NEGATIVE_INFINITY : nowMs + Math.min(toldMs, COOLDOWN_MAX_MS);
    this.openedAtMs = nowMs;
    this.openUntilMs = nowMs + this.lastMs;
    this.inARow = 0;
    this.calls = 0;
    this.fails = 0;
  }
}
