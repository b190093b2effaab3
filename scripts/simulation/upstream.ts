import type { ErrorKind } from "../../src/contract/errors.ts";
import type { VirtualTime } from "./events.ts";

/** What an upstream does at a moment. */
export interface Behaviour {
  /** How many times its usual time it takes. */
  readonly slowness?: number;
  /** The part of its calls that it answers with 500. */
  readonly failing?: number;
  /** Takes calls and never answers. */
  readonly hanging?: boolean;
  /** Refuses connections. */
  readonly dead?: boolean;
  /** Calls that it takes within a minute; the rest is 429 with the time until the minute ends. */
  readonly perMinute?: number;
}

export interface UpstreamPlan {
  /** The middle of its times to the first token, without a queue. */
  readonly firstTokenMs: number;
  /** Calls that it works on at once; others wait. */
  readonly slots: number;
  readonly at: (nowMs: number) => Behaviour;
}

export type Reply =
  | { readonly ok: true; readonly endsAfterMs: number }
  | { readonly ok: false; readonly kind: ErrorKind; readonly retryAfterMs: number | null };

const TOKENS = { fewest: 50, most: 350, ms: 12 };
const REFUSED_MS = 2;
const ANSWERED_MS = 30;
const MINUTE_MS = 60_000;

interface Job {
  readonly tell: (reply: Reply) => void;
  state: "waits" | "works" | "over";
}

/** An upstream with so many places to work at and a line before them. */
export class Upstream {
  private busy = 0;
  private readonly line: Job[] = [];
  private minute = -1;
  private minuteCalls = 0;

  constructor(
    private readonly plan: UpstreamPlan,
    private readonly time: VirtualTime,
    private readonly random: () => number,
  ) {}

  /** Tells the first token or the failure; of an upstream that hangs nothing is ever heard. Answers how to leave. */
  call(tell: (reply: Reply) => void): () => void {
    const now = this.time.nowMs();
    const { hanging } = this.plan.at(now);
    const failure = this.failure(now);
    const job: Job = { tell, state: "waits" };
    if (failure) this.time.after(failure.afterMs, () => tell(failure.reply));
    else if (!hanging && this.busy < this.plan.slots) this.work(job);
    else if (!hanging) this.line.push(job);
    return () => this.finish(job);
  }

  private failure(now: number): { readonly afterMs: number; readonly reply: Reply } | null {
    const { dead, failing = 0, perMinute } = this.plan.at(now);
    const say = (afterMs: number, kind: ErrorKind, retryAfterMs: number | null = null) => ({
      afterMs,
      reply: { ok: false, kind, retryAfterMs } as const,
    });
    if (dead) return say(REFUSED_MS, "connection");
    if (perMinute !== undefined && this.countMinute(now) > perMinute) {
      return say(ANSWERED_MS, "rate_limit", Math.ceil((MINUTE_MS - (now % MINUTE_MS)) / 1000) * 1000);
    }
    return this.random() < failing ? say(ANSWERED_MS, "upstream") : null;
  }

  private work(job: Job): void {
    job.state = "works";
    this.busy++;
    const { slowness = 1 } = this.plan.at(this.time.nowMs());
    const firstTokenMs = this.plan.firstTokenMs * slowness * spread(this.random);
    const tokens = TOKENS.fewest + this.random() * (TOKENS.most - TOKENS.fewest);
    const endsAfterMs = tokens * TOKENS.ms * slowness;
    this.time.after(firstTokenMs, () => job.tell({ ok: true, endsAfterMs }));
    this.time.after(firstTokenMs + endsAfterMs, () => this.finish(job));
  }

  /** Done, or left by its caller: whoever waits longest has the place. */
  private finish(job: Job): void {
    const worked = job.state === "works";
    job.state = "over";
    if (!worked) return;
    this.busy--;
    for (let next = this.line.shift(); next; next = this.line.shift()) {
      if (next.state !== "waits") continue;
      this.work(next);
      return;
    }
  }

  private countMinute(nowMs: number): number {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.minute) this.minuteCalls = 0;
    this.minute = minute;
    return ++this.minuteCalls;
  }
}

/** Most calls take about the usual time, a few several times that: the sum of dice, raised. */
function spread(random: () => number): number {
  const middle = (random() + random() + random() + random()) / 4;
  return 2 ** ((middle - 0.5) * 5);
}
