import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";

/** Calls a minute of the platform's API, of one session or of all tokens of one person; 0 means any number. */
export interface ManagementLimits {
  readonly readsPerMinute: number;
  readonly writesPerMinute: number;
}

const WINDOW_MS = 60_000;
const CALLERS_MAX = 50_000;

type CountedCaller = Pick<SessionCaller, "sessionId" | "userId" | "token">;

interface Window {
  readonly startedAtMs: number;
  used: number;
}

/**
 * Keeps one caller from using up the process; it is no defence against many sessions, which need many log-ins. Tokens need none
 * and are made by the dozen, so those of one person count together, in whatever organization.
 */
export class ManagementRate {
  private readonly reads = new BoundedMap<string, Window>(CALLERS_MAX);
  private readonly writes = new BoundedMap<string, Window>(CALLERS_MAX);

  constructor(
    private readonly limits: () => ManagementLimits,
    private readonly clock: Clock,
  ) {}

  /** Counts a call and gives the headers that tell what is left; throws when nothing is. */
  admit({ sessionId, userId, token }: CountedCaller, isWrite: boolean): Record<string, string> {
    const { readsPerMinute, writesPerMinute } = this.limits();
    const limit = isWrite ? writesPerMinute : readsPerMinute;
    if (limit === 0) return {};
    const counted = token ? `tokens of ${userId}` : sessionId;
    const window = this.windowOf(isWrite ? this.writes : this.reads, counted);
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

  private windowOf(windows: BoundedMap<string, Window>, counted: string): Window {
    const now = this.clock.monotonicMs();
    const present = windows.get(counted);
    if (present && now - present.startedAtMs < WINDOW_MS) return present;
    const window = { startedAtMs: now, used: 0 };
    windows.set(counted, window);
    return window;
  }
}
