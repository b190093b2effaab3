import { systemTimers, type Timers } from "../lib/timers.ts";
import type { AcquireReply, Change, LimitRequest, LimitStore } from "./limit-store.ts";
import { LocalLimiter, type LocalPermit } from "./local-limiter.ts";
import { amountOf, type Decision, type Limiter, type Meter, type MeterState, type Permit, UNLIMITED } from "./meter.ts";
import { ALIVE_MS } from "./scripts.ts";
import { SLOT_MS, SLOTS } from "./sliding-window.ts";

/** How often a process says that it lives, and how soon it counts with others again after a loss. */
const BEAT_MS = 1000;
/** Limits that are told in one go. */
const TOLD_MAX = 500;

export interface SharedOptions {
  readonly store: LimitStore;
  /** A name of this process that no other has. */
  readonly process: string;
  /** So many share the limits until the house has told how many there are; it may be away when this one begins. */
  readonly atLeast?: number;
  /** Monotonic. */
  readonly nowMs: () => number;
  readonly timers?: Timers;
}

/**
 * The same limits over all processes, decided in one house. What this process was granted it also counts by itself: while
 * the house is away it goes on with its share of every limit, and when it is back, or has forgotten everything, it is
 * told what was taken meanwhile.
 */
export class SharedLimiter implements Limiter {
  private readonly local: LocalLimiter;
  private readonly timers: Timers;
  /** Calls that are being asked for, by the limit of calls at one time that they would count in. */
  private readonly asking = new Map<string, number>();
  /** Limits under which the house may count running calls of this process: each has to be told when there are none. */
  private readonly housed = new Set<string>();
  /** Those of which it was told calls that were still being asked for: where one is refused, it has to hear so. */
  private readonly toldAhead = new Set<string>();
  private isShared = false;
  private isTelling = false;
  private isClosed = false;
  private epoch: string | null = null;
  private processes: number;
  /** A house that forgot everything does not know what the others took until each has told it, or has died. */
  private isAmongAll = true;
  private heardOfAllAtMs = Number.NEGATIVE_INFINITY;
  /** From this process's time to that of the house. */
  private aheadMs = 0;

  constructor(private readonly options: SharedOptions) {
    this.timers = options.timers ?? systemTimers;
    this.processes = options.atLeast ?? 1;
    this.local = new LocalLimiter(options.nowMs, (limit) => this.shareOf(limit));
  }

  /** Counts with the others from now on, as far as the house is there. */
  async start(): Promise<void> {
    await this.beat();
    if (!this.isClosed) this.timers.after(BEAT_MS, () => void this.start());
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const { store, process } = this.options;
    if (store.connected) await store.leave(process).catch(() => undefined);
  }

  /** Whether limits are counted over all processes now. After a loss they are so only once the house was told what it missed. */
  get shared(): boolean {
    if (!this.options.store.connected) this.isShared = false;
    return this.isShared;
  }

  /** Processes that count together, this one included; while the house is away, as many as there were. */
  get processCount(): number {
    return this.processes;
  }

  take(meters: readonly Meter[], tokens: number): Decision | Promise<Decision> {
    if (meters.length === 0) return UNLIMITED;
    if (!this.shared) return this.takeAlone(meters, tokens);
    // What this process alone has used up needs no question.
    return this.local.refusal(meters, tokens, this.options.nowMs()) ?? this.ask(meters, tokens);
  }

  roomInMs(meters: readonly Meter[], tokens: number): number {
    return this.local.roomInMs(meters, tokens);
  }

  /** Whoever is let in like this may end when the house is back: it has to hear of that. */
  private takeAlone(meters: readonly Meter[], tokens: number): Decision {
    const decision = this.local.take(meters, tokens);
    return decision.admitted ? new SharedPermit(this, decision as LocalPermit, null) : decision;
  }

  private async ask(meters: readonly Meter[], tokens: number): Promise<Decision> {
    const { store, process } = this.options;
    const { epoch: known } = this;
    const asks = meters.map(
      (meter): LimitRequest => ({
        id: meter.id,
        counted: meter.counted,
        limit: meter.limit,
        amount: amountOf(meter, tokens),
        running: this.countAsking(meter, 1),
      }),
    );
    let reply: AcquireReply;
    try {
      reply = await store.take(process, asks);
    } catch {
      for (const meter of meters) this.countAsking(meter, -1);
      this.isShared = false;
      return this.takeAlone(meters, tokens);
    }
    for (const meter of meters) this.countAsking(meter, -1);
    this.meet(reply);
    // What a house says that had just lost everything is not gone by.
    if (known !== null && reply.epoch !== known) {
      if (reply.admitted) void this.tell(asks.map((ask) => this.giveBack(ask, reply.now)));
      return this.take(meters, tokens);
    }
    const states = statesOf(meters, tokens, reply);
    if (reply.admitted) return new SharedPermit(this, this.local.note(meters, tokens, states), reply.now);
    if (this.toldAhead.size > 0) this.takeBack(meters);
    const longest = Math.max(...reply.waits);
    const meter = meters[reply.waits.indexOf(longest)] as Meter;
    return { admitted: false, states, meter, retryMs: longest };
  }

  /** Ends a call and tells the house what it used after all, and what is free again. `grantedAtMs` is null where the house was not asked. */
  end(permit: LocalPermit, tokensUsed: number | null, grantedAtMs: number | null): Promise<unknown> | null {
    const { shared } = this;
    if (!permit.endOnce(tokensUsed, shared) || !shared) return null;
    const changes: Change[] = [];
    let makesRoom = false;
    for (const meter of permit.meters) {
      if (meter.counted === "parallel") {
        changes.push(this.runningUnder(meter.id));
        makesRoom = true;
      } else if (meter.counted === "tokens" && tokensUsed !== null) {
        const more = tokensUsed - amountOf(meter, permit.tokens);
        const at = more > 0 ? this.options.nowMs() + this.aheadMs : (grantedAtMs ?? this.toldAtMs(permit.takenAtMs));
        if (more !== 0) changes.push({ id: meter.id, at, amount: more });
        makesRoom ||= more < 0;
      }
    }
    const told = changes.length > 0 ? this.tell(changes) : null;
    return makesRoom ? told : null;
  }

  /** Says that this process lives, what runs here, and what was taken while nobody could be asked. Never throws. */
  private async beat(): Promise<void> {
    if (!this.options.store.connected || this.isTelling) return;
    this.isTelling = true;
    let isNew = false;
    try {
      // The first word is only hello: times and the epoch have to be known before anything is told.
      if (!this.isShared && !(await this.tell([]))) return;
      const { epoch } = this;
      const wasAlone = !this.isShared;
      const changes = this.runningCalls();
      if (wasAlone) this.collectUntold(changes);
      if (!(await this.tellAll(changes))) return;
      isNew = epoch !== this.epoch;
      // Where it was lost meanwhile, the next beat tells what the house has not heard.
      if (wasAlone && !isNew && this.isAmongAll) {
        this.isShared = true;
        await this.tellRest();
      }
    } finally {
      this.isTelling = false;
    }
    // The others take it for told once it knows of this process.
    if (isNew) await this.beat();
  }

  /** With what ended while the house could not be told, or was let in by this process alone. */
  private runningCalls(): Change[] {
    for (const [id] of this.local.runningIds()) this.housed.add(id);
    return Array.from(this.housed, (id) => this.runningUnder(id));
  }

  /** A call that is being asked for may have its place already: without it, others would be given that place as well. */
  private runningUnder(id: string): Change {
    const asking = this.asking.get(id) ?? 0;
    if (asking > 0) this.toldAhead.add(id);
    else this.toldAhead.delete(id);
    return { id, at: "parallel", amount: this.local.runningOf(id) + asking };
  }

  private giveBack({ id, counted, amount }: LimitRequest, grantedAtMs: number): Change {
    return counted === "parallel" ? this.runningUnder(id) : { id, at: grantedAtMs, amount: -amount };
  }

  /** A call that the house was told of as if it ran was refused. */
  private takeBack(meters: readonly Meter[]): void {
    const ahead = meters.filter(({ id }) => this.toldAhead.has(id));
    if (ahead.length > 0) void this.tell(ahead.map(({ id }) => this.runningUnder(id)));
  }

  private collectUntold(changes: Change[]): void {
    const now = this.options.nowMs();
    for (const [id, window] of this.local.windows) {
      window.tell(now, (startMs, amount) => changes.push({ id, at: this.toldAtMs(startMs), amount }));
    }
  }

  /** What is told by slots is taken, by the time of the house, when its slot began here. */
  private toldAtMs(takenAtMs: number): number {
    return takenAtMs - (takenAtMs % SLOT_MS) + this.aheadMs;
  }

  /** Calls that were let in while the house was being told. */
  private async tellRest(): Promise<void> {
    const changes: Change[] = [];
    this.collectUntold(changes);
    if (changes.length > 0) await this.tellAll(changes);
  }

  private async tellAll(changes: readonly Change[]): Promise<boolean> {
    const { epoch } = this;
    for (let from = 0; from === 0 || from < changes.length; from += TOLD_MAX) {
      if (await this.tell(changes.slice(from, from + TOLD_MAX))) continue;
      this.owe(changes.slice(from + TOLD_MAX), epoch);
      return false;
    }
    return true;
  }

  /** Told when the house is back, unless everything is, because it has lost all. */
  private owe(changes: readonly Change[], epoch: string | null): void {
    if (epoch !== this.epoch) return;
    const now = this.options.nowMs();
    for (const { id, at, amount } of changes) {
      if (at !== "parallel") this.local.windows.get(id, now).owe(amount, at - this.aheadMs);
    }
  }

  /** True where the house has taken note. */
  private async tell(changes: readonly Change[]): Promise<boolean> {
    const { store, process } = this.options;
    const { epoch: known } = this;
    try {
      const { epoch, now, processes } = await store.tell(process, changes);
      this.meet({ epoch, now });
      this.isAmongAll = processes >= this.processes || this.options.nowMs() >= this.heardOfAllAtMs;
      if (this.isAmongAll) this.processes = Math.max(1, processes);
      for (const { id, at, amount } of changes) if (at === "parallel" && amount === 0) this.forgetIdle(id);
      return true;
    } catch {
      this.isShared = false;
      // It may have heard of it all the same: what is counted twice is free after a minute, what is given back twice was others'.
      this.owe(
        changes.filter(({ amount }) => amount > 0),
        known,
      );
      return false;
    }
  }

  private forgetIdle(id: string): void {
    if (!this.asking.has(id) && this.local.runningOf(id) === 0) this.housed.delete(id);
  }

  /** Another epoch: the house has lost what it was told, so all that counts here is told again. */
  private meet({ epoch, now }: { readonly epoch: string; readonly now: number }): void {
    this.aheadMs = now - this.options.nowMs();
    if (epoch === this.epoch) return;
    const isFirst = this.epoch === null;
    this.epoch = epoch;
    if (isFirst) return;
    this.heardOfAllAtMs = this.options.nowMs() + ALIVE_MS;
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
    if (by === 1) this.housed.add(meter.id);
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
    private readonly grantedAtMs: number | null,
  ) {}

  get states(): readonly MeterState[] {
    return this.local.states;
  }

  end(tokensUsed: number | null): Promise<unknown> | null {
    return this.limiter.end(this.local, tokensUsed, this.grantedAtMs);
  }
}

function statesOf(meters: readonly Meter[], tokens: number, reply: AcquireReply): MeterState[] {
  return meters.map((meter, index) => {
    const taken = (reply.used[index] ?? 0) + (reply.admitted ? amountOf(meter, tokens) : 0);
    const isNew = reply.admitted && meter.counted !== "parallel";
    const resetMs = isNew ? SLOTS * SLOT_MS - (reply.now % SLOT_MS) : (reply.resets[index] ?? 0);
    return { meter, remaining: Math.max(0, meter.limit - taken), resetMs };
  });
}
