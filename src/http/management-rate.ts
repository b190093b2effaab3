import { GatewayError } from "../contract/errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";

/** Calls a minute that one session may make of the platform's API; 0 means any number. */
export interface ManagementLimits {
  readonly readsPerMinute: number;
  readonly writesPerMinute: number;
}

const WINDOW_MS = 60_000;
const SESSIONS_MAX = 50_000;

interface Window {
  readonly startedAtMs: number;
  used: number;
}

/** Keeps one session from using up the process; it is no defence against many, which need many log-ins. */
export class ManagementRate {
  private readonly reads = new BoundedMap<string, Window>(SESSIONS_MAX);
  private readonly writes = new BoundedMap<string, Window>(SESSIONS_MAX);

  constructor(
    private readonly limits: () => ManagementLimits,
    private readonly clock: Clock,
  ) {}

  /** Counts a call and gives the headers that tell what is left; throws when nothing is. */
  admit(sessionId: string, isWrite: boolean): Record<string, string> {
    const { readsPerMinute, writesPerMinute } = this.limits();
    const limit = isWrite ? writesPerMinute : readsPerMinute;
    if (limit === 0) return {};
    const window = this.windowOf(isWrite ? this.writes : this.reads, sessionId);
    window.used++;
    const seconds = Math.max(1, Math.ceil((window.startedAtMs + WINDOW_MS - this.clock.monotonicMs()) / 1000));
    const headers = {
      "ratelimit-limit": String(limit),
      "ratelimit-remaining": String(Math.max(0, limit - window.used)),
      "ratelimit-reset": String(seconds),
    };
    if (window.used <= limit) return headers;
    const what = isWrite ? "changes" : "reads";
    throw new GatewayError("rate_limit", `More than ${limit} ${what} in a minute. Try again in ${seconds} seconds.`, {
      headers: { ...headers, "retry-after": String(seconds) },
    });
  }

  private windowOf(windows: BoundedMap<string, Window>, sessionId: string): Window {
    const now = this.clock.monotonicMs();
    const present = windows.get(sessionId);
    if (present && now - present.startedAtMs < WINDOW_MS) return present;
    const window = { startedAtMs: now, used: 0 };
    windows.set(sessionId, window);
    return window;
  }
}
