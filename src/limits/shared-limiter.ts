import type { Redis } from "../lib/redis.ts";
import { systemTimers, type Timers } from "../lib/timers.ts";
import { LocalLimiter, type LocalPermit } from "./local-limiter.ts";
import { amountOf, type Decision, type Limiter, type Meter, type MeterState, type Permit, UNLIMITED } from "./meter.ts";
import { namesOf, type Script, TAKE, TELL } from "./scripts.ts";
import { SLOT_MS, SLOTS } from "./sliding-window.ts";

/** How often a process says that it lives, and how soon it counts with others again after a loss. */
const BEAT_MS = 1000;
/** Limits that are told in one go. */
const TOLD_MAX = 500;

export interface SharedOptions {
  readonly redis: Pick<Redis, "connected" | "send">;
  /** The same for all processes that count together, and for no others. */
  readonly installation: string;
  /** A name of this process that no other has. */
  readonly process: string;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly timers?: Timers;
  /** Of tests; else Redis's own time counts. */
  readonly redisTime?: () => number;
}

/**
 * The same limits over all processes, decided by one script in Redis. What this process was granted it also counts by
 * itself: while Redis is away it goes on with its share of every limit, and when it is back, or has forgotten
 * everything, it is told what was taken meanwhile.
 */
export class SharedLimiter implements Limiter {
  private readonly local: LocalLimiter;
  private readonly timers: Timers;
  private readonly names: ReturnType<typeof namesOf>;
  /** Calls that are being asked for, by the limit of calls at one time that they would count in. */
  private readonly asking = new Map<string, number>();
  private isShared = false;
  private isTelling = false;
  private isClosed = false;
  private epoch: string | null = null;
  private processes = 1;
  /** From this process's time to that of Redis. */
  private aheadMs = 0;

  constructor(private readonly options: SharedOptions) {
    this.timers = options.timers ?? systemTimers;
    this.names = namesOf(options.installation);
    this.local = new LocalLimiter(options.nowMs, (limit) => this.shareOf(limit));
  }

  /** Counts with the others from now on, as far as Redis is there. */
  async start(): Promise<void> {
    await this.beat();
    if (!this.isClosed) this.timers.after(BEAT_MS, () => void this.start());
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { redis, process } = this.options;
    if (redis.connected) await redis.send("ZREM", [this.names.processes, process]).catch(() => undefined);
  }

  /** Whether limits are counted over all processes now. After a loss they are so only once Redis was told what it missed. */
  get shared(): boolean {
    if (!this.options.redis.connected) this.isShared = false;
    return this.isShared;
  }

  /** Processes that count together, this one included; while Redis is away, as many as there were. */
  get processCount(): number {
    return this.processes;
  }

  take(meters: readonly Meter[], tokens: number): Decision | Promise<Decision> {
    if (meters.length === 0) return UNLIMITED;
    if (!this.shared) return this.local.take(meters, tokens);
    // What this process alone has used up needs no question.
    return this.local.refusal(meters, tokens, this.options.nowMs()) ?? this.ask(meters, tokens);
  }

  roomInMs(meters: readonly Meter[], tokens: number): number {
    return this.local.roomInMs(meters, tokens);
  }

  private async ask(meters: readonly Meter[], tokens: number): Promise<Decision> {
    const args: string[] = [];
    for (const meter of meters) {
      args.push(
        meter.counted,
        String(meter.limit),
        String(amountOf(meter, tokens)),
        String(this.countAsking(meter, 1)),
      );
    }
    const keys = meters.map(({ id }) => this.names.ofMeter(id));
    let reply: TakeReply;
    try {
      reply = readReply(await this.run(TAKE, keys, args));
    } catch {
      for (const meter of meters) this.countAsking(meter, -1);
      this.isShared = false;
      return this.local.take(meters, tokens);
    }
    for (const meter of meters) this.countAsking(meter, -1);
    this.meet(reply);
    const states = statesOf(meters, tokens, reply);
    if (reply.admitted) return new SharedPermit(this, this.local.note(meters, tokens, states), reply.now);
    const longest = Math.max(...reply.waits);
    const meter = meters[reply.waits.indexOf(longest)] as Meter;
    return { admitted: false, states, meter, retryMs: longest };
  }

  /** Ends a call and tells Redis what it used after all; nobody waits for that. */
  end(permit: LocalPermit, tokensUsed: number | null, takenAtMs: number): void {
    const { shared } = this;
    if (!permit.endOnce(tokensUsed, shared) || !shared) return;
    const changes: Change[] = [];
    for (const meter of permit.meters) {
      if (meter.counted === "parallel") {
        changes.push({ id: meter.id, at: "parallel", amount: this.local.runningOf(meter.id) });
      } else if (meter.counted === "tokens" && tokensUsed !== null) {
        const more = tokensUsed - amountOf(meter, permit.tokens);
        const at = more > 0 ? this.options.nowMs() + this.aheadMs : takenAtMs;
        if (more !== 0) changes.push({ id: meter.id, at, amount: more });
      }
    }
    if (changes.length > 0) void this.tell(changes);
  }

  /** Says that this process lives, what runs here, and what was taken while nobody could be asked. Never throws. */
  private async beat(): Promise<void> {
    if (!this.options.redis.connected || this.isTelling) return;
    this.isTelling = true;
    try {
      // The first word is only hello: times and the epoch have to be known before anything is told.
      if (!this.isShared && !(await this.tell([]))) return;
      const { epoch } = this;
      const changes = this.runningCalls();
      if (!this.isShared) this.collectUntold(changes);
      for (let from = 0; from === 0 || from < changes.length; from += TOLD_MAX) {
        if (!(await this.tell(changes.slice(from, from + TOLD_MAX)))) return this.markUntold();
      }
      if (epoch === this.epoch) this.isShared = true;
    } finally {
      this.isTelling = false;
    }
  }

  private runningCalls(): Change[] {
    return Array.from(this.local.runningIds(), ([id, amount]) => ({ id, at: "parallel", amount }));
  }

  private collectUntold(changes: Change[]): void {
    const now = this.options.nowMs();
    for (const [id, window] of this.local.windows) {
      window.tell(now, (startMs, amount) => changes.push({ id, at: startMs + this.aheadMs, amount }));
    }
  }

  /** True where Redis has taken note. */
  private async tell(changes: readonly Change[]): Promise<boolean> {
    const keys = changes.map(({ id }) => this.names.ofMeter(id));
    const args = changes.flatMap(({ at, amount }) => [String(at), String(amount)]);
    try {
      const [epoch, now, processes] = (await this.run(TELL, keys, args)) as [string, number, number];
      this.processes = Math.max(1, processes);
      this.meet({ epoch, now });
      return true;
    } catch {
      this.isShared = false;
      return false;
    }
  }

  private async run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown> {
    const { redis, process, redisTime } = this.options;
    const time = redisTime ? String(redisTime()) : "";
    const { processes, epoch } = this.names;
    const rest = [String(keys.length + 2), processes, epoch, ...keys, time, process, ...args];
    try {
      return await redis.send("EVALSHA", [script.sha, ...rest]);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes("NOSCRIPT"))) throw error;
      return redis.send("EVAL", [script.text, ...rest]);
    }
  }

  /** Another epoch: Redis has lost what it was told, so all that counts here is told again. */
  private meet({ epoch, now }: { readonly epoch: string; readonly now: number }): void {
    this.aheadMs = now - this.options.nowMs();
    if (epoch === this.epoch) return;
    const isFirst = this.epoch === null;
    this.epoch = epoch;
    if (isFirst) return;
    this.markUntold();
    this.isShared = false;
    void this.beat();
  }

  private markUntold(): void {
    for (const [, window] of this.local.windows) window.markUntold();
  }

  /** Calls that run here or are being asked for, without the one that asks. */
  private countAsking(meter: Meter, by: 1 | -1): number {
    if (meter.counted !== "parallel") return 0;
    const before = this.asking.get(meter.id) ?? 0;
    if (before + by === 0) this.asking.delete(meter.id);
    else this.asking.set(meter.id, before + by);
    return before + this.local.runningOf(meter.id);
  }

  private shareOf(limit: number): number {
    return this.shared ? limit : Math.max(1, Math.floor(limit / this.processes));
  }
}

class SharedPermit implements Permit {
  readonly admitted = true;

  constructor(
    private readonly limiter: SharedLimiter,
    private readonly local: LocalPermit,
    private readonly takenAtMs: number,
  ) {}

  get states(): readonly MeterState[] {
    return this.local.states;
  }

  end(tokensUsed: number | null): void {
    this.limiter.end(this.local, tokensUsed, this.takenAtMs);
  }
}

interface Change {
  readonly id: string;
  /** By Redis's time. */
  readonly at: "parallel" | number;
  readonly amount: number;
}

interface TakeReply {
  readonly epoch: string;
  readonly now: number;
  readonly admitted: boolean;
  readonly used: readonly number[];
  readonly waits: readonly number[];
  readonly resets: readonly number[];
}

function readReply(reply: unknown): TakeReply {
  const [epoch, now, admitted, ...numbers] = reply as [string, number, number, ...number[]];
  const every = (offset: number): number[] => numbers.filter((_, index) => index % 3 === offset);
  return { epoch, now, admitted: admitted === 1, used: every(0), waits: every(1), resets: every(2) };
}

function statesOf(meters: readonly Meter[], tokens: number, reply: TakeReply): MeterState[] {
  return meters.map((meter, index) => {
    const taken = (reply.used[index] ?? 0) + (reply.admitted ? amountOf(meter, tokens) : 0);
    const isNew = reply.admitted && meter.counted !== "parallel";
    const resetMs = isNew ? SLOTS * SLOT_MS - (reply.now % SLOT_MS) : (reply.resets[index] ?? 0);
    return { meter, remaining: Math.max(0, meter.limit - taken), resetMs };
  });
}
