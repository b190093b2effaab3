import type { Timers } from "../lib/timers.ts";
import { type CreditReservations, type Hold, type HoldRequest, NOTHING_HELD } from "./books.ts";
import type { PotState } from "./credit-state.ts";
import { type HeldLeasesDeps, LeaseTable } from "./lease-table.ts";
import { OpenHold } from "./open-hold.ts";
import { refusalOf } from "./refusal.ts";
import { callerLeft, creditHeldElsewhere, creditUnknown, judge, type Verdict, type Waiter, wantOf } from "./waiter.ts";

export interface DeskDeps extends HeldLeasesDeps {
  readonly timers: Timers;
  readonly waitMaxMs?: number;
  /** What is spent is to be in the database soon: until then it counts as something that could come back. */
  readonly flushSoon?: () => void;
}

const WAIT_MAX_MS = 5_000;
/** Of the last of a pot somebody else may be giving something back at this moment; after a while it is asked about less often. */
const ASK_AGAIN_MS = 10;
const ASK_AGAIN_MAX_MS = 100;
/** A pot that had nothing more is asked again for the background only after this. */
const TOP_UP_PAUSE_MS = 1_000;

/** Admission against leases in memory. The database is asked when they run low, and by those who would else be refused. */
export class LeasedCredit implements CreditReservations {
  private readonly leases: LeaseTable;
  private readonly waiters = new Set<Waiter>();
  private readonly wanted = new Set<PotState>();
  private extending = false;
  private isRefining = false;
  private askAgain: (() => void) | null = null;
  private askAgainMs = ASK_AGAIN_MS;

  constructor(private readonly deps: DeskDeps) {
    this.leases = new LeaseTable(deps);
  }

  hold(request: HoldRequest): Hold | Promise<Hold> {
    const { creditSources, amount } = request;
    const former = request.former instanceof OpenHold && request.former.isOpen ? request.former : null;
    const now = this.deps.clock.monotonicMs();
    if (former) return this.enlarge(former, request, now);
    if (amount <= 0n || creditSources.length === 0) return NOTHING_HELD;
    const states: PotState[] = [];
    let enough = true;
    for (const pot of creditSources) {
      const state = this.leases.of(pot.id);
      if (state.pot !== pot) state.named(pot);
      state.usedAtMs = now;
      states.push(state);
      if (state.waiting > 0 || state.usable(now) < amount) enough = false;
    }
    return enough ? this.take(states, null, amount, now) : this.wait(request, states, now, null);
  }

  private enlarge(former: OpenHold, request: HoldRequest, now: number): Hold | Promise<Hold> {
    const { states } = former;
    const isEnough = (state: PotState, index: number): boolean =>
      state.waiting === 0 && state.usable(now) + former.taken(index) >= request.amount;
    if (states.every(isEnough)) return this.take(states, null, request.amount, now, former);
    return this.wait(request, states, now, former);
  }

  /** A call's cost is known and will reach the database with the next batch. */
  spend(creditSources: readonly string[], cost: bigint): void {
    const nowMs = this.deps.clock.monotonicMs();
    for (const pot of creditSources) {
      const state = this.leases.of(pot);
      state.spend(cost);
      state.usedAtMs = nowMs;
    }
    this.review();
  }

  /** A batch is in the database: what it cost by pot, and what the leases are since. */
  settled(costs: ReadonlyMap<string, bigint>, leases: ReadonlyMap<string, bigint>): void {
    for (const [pot, cost] of costs) {
      const state = this.leases.of(pot);
      state.settle(cost);
      const amount = leases.get(pot);
      if (amount !== undefined) state.leased = amount;
    }
    this.review();
  }

  /** Credit was added or taken back: whoever calls next finds out. */
  credited(pot: string): void {
    this.leases.find(pot)?.outdate();
    this.review();
  }

  /** To be called every moment: gives back what others want, prolongs leases, ends those that nobody needs. */
  async tick(): Promise<void> {
    await this.leases.tidy();
    this.review();
    await this.leases.prolong();
  }

  /** When all calls are settled: nothing stays leased. */
  async close(): Promise<void> {
    for (const waiter of this.waiters) waiter.refuse(callerLeft());
    await this.leases.drop();
  }

  /** Whether the database is being asked for more. */
  get asking(): boolean {
    return this.extending;
  }

  /** For metrics and tests. */
  get standing() {
    return { ...this.leases.standing, waiting: this.waiters.size };
  }

  /** `amounts` where they differ from pot to pot. What a call has already is exchanged for it at once, so that nobody comes between. */
  private take(
    states: readonly PotState[],
    amounts: readonly bigint[] | null,
    amount: bigint,
    nowMs: number,
    former: OpenHold | null = null,
  ): Hold {
    if (former) this.putBack(former);
    for (let index = 0; index < states.length; index++) {
      const state = states[index] as PotState;
      const taken = amounts?.[index] ?? amount;
      state.hold(taken);
      const paused = state.sole && nowMs - state.askedAtMs < TOP_UP_PAUSE_MS;
      if (!paused && state.idle < state.lowWater) this.want(state);
    }
    if (former === null) return new OpenHold(this, states, amounts, amount);
    former.become(amounts, amount);
    return former;
  }

  /** A hold has ended: once for each. */
  release(hold: OpenHold): void {
    this.putBack(hold);
    this.review();
    const now = this.deps.clock.monotonicMs();
    for (const state of hold.states) {
      if (!state.isContested(now)) continue;
      if (state.spent > 0n) this.deps.flushSoon?.();
      this.leases.leaveToOthers(state);
    }
  }

  private putBack(hold: OpenHold): void {
    const nowMs = this.deps.clock.monotonicMs();
    for (let index = 0; index < hold.states.length; index++) {
      const state = hold.states[index] as PotState;
      state.release(hold.taken(index));
      state.usedAtMs = nowMs;
    }
  }

  private wait(
    request: HoldRequest,
    states: readonly PotState[],
    nowMs: number,
    former: OpenHold | null,
  ): Promise<Hold> {
    if (request.signal.aborted) throw callerLeft();
    const { promise, resolve, reject } = Promise.withResolvers<Hold>();
    const leave = (): void => {
      if (!this.waiters.delete(waiter)) return;
      for (const state of states) state.waiting--;
      cancel();
      request.signal.removeEventListener("abort", onAbort);
    };
    const waiter: Waiter = {
      request,
      states,
      arrivedAtMs: nowMs,
      amount: request.amount,
      isLate: false,
      refinement: request.refine ? "possible" : "done",
      former,
      admit(hold) {
        leave();
        resolve(hold);
      },
      refuse(error) {
        leave();
        reject(error);
      },
    };
    const onAbort = (): void => waiter.refuse(callerLeft());
    const cancel = this.deps.timers.after(this.deps.waitMaxMs ?? WAIT_MAX_MS, () => {
      // To count a long prompt takes time that is not spent waiting for others.
      if (waiter.refinement === "running") waiter.isLate = true;
      else waiter.refuse(creditHeldElsewhere());
    });
    request.signal.addEventListener("abort", onAbort, { once: true });
    for (const state of states) state.waiting++;
    this.waiters.add(waiter);
    this.review();
    return promise;
  }

  /** Looks at everybody who waits, in the order in which they came. */
  private review(): void {
    if (this.waiters.size === 0) return;
    const now = this.deps.clock.monotonicMs();
    for (const waiter of this.waiters) {
      // The call has ended meanwhile, and what it had with it.
      if (waiter.former?.isOpen === false) {
        waiter.refuse(callerLeft());
        continue;
      }
      if (waiter.refinement === "running") continue;
      const verdict = judge(waiter, now);
      if (waiter.refinement === "possible" && mayNeedLess(verdict, waiter, now)) {
        if (!this.isRefining) void this.refine(waiter);
      } else if (verdict.kind === "admit") {
        waiter.admit(this.take(waiter.states, verdict.amounts, waiter.amount, now, waiter.former));
      } else if (verdict.kind === "refuse") {
        waiter.refuse(refusalOf(verdict.state, this.deps.clock.nowMs()));
      } else if (verdict.kind === "ask") for (const state of verdict.states) this.want(state);
    }
    if (this.waiters.size > 0) this.askLater();
  }

  /** Asks a call for a lower amount that suffices: one call at a time, so that the first is not slowed by others. */
  private async refine(waiter: Waiter): Promise<void> {
    waiter.refinement = "running";
    this.isRefining = true;
    try {
      const amount = (await waiter.request.refine?.()) ?? waiter.amount;
      if (amount < waiter.amount) waiter.amount = amount;
      waiter.refinement = "done";
    } catch (thrown) {
      waiter.refuse(creditUnknown(thrown));
    }
    this.isRefining = false;
    this.review();
    if (waiter.isLate && this.waiters.has(waiter)) waiter.refuse(creditHeldElsewhere());
  }

  /** What others give back shows only in the database. */
  private askLater(): void {
    this.askAgain ??= this.deps.timers.after(this.isContested() ? this.askAgainMs : ASK_AGAIN_MAX_MS, () => {
      this.askAgain = null;
      this.askAgainMs = this.waiters.size > 0 ? Math.min(2 * this.askAgainMs, ASK_AGAIN_MAX_MS) : ASK_AGAIN_MS;
      const now = this.deps.clock.monotonicMs();
      for (const { states, amount } of this.waiters) {
        for (const state of states) if (state.usable(now) < amount) this.want(state);
      }
      this.review();
    });
  }

  /** Whether somebody waits for the last of a pot. */
  private isContested(): boolean {
    const now = this.deps.clock.monotonicMs();
    for (const { states } of this.waiters) if (states.some((state) => state.isContested(now))) return true;
    return false;
  }

  private want(state: PotState): void {
    this.wanted.add(state);
    if (this.extending) return;
    this.extending = true;
    void this.extend();
  }

  /** One question at a time, about all pots that are wanted by then. Never throws. */
  private async extend(): Promise<void> {
    while (this.wanted.size > 0) {
      let asked: readonly PotState[] = [];
      try {
        await this.deps.turns.run(async () => {
          asked = [...this.wanted];
          this.wanted.clear();
          await this.leases.extend(asked, (state, nowMs) => wantOf(state, this.waiters, nowMs));
        });
      } catch (thrown) {
        const failed = new Set(asked.length > 0 ? asked : this.wanted);
        this.wanted.clear();
        for (const waiter of this.waiters) {
          if (waiter.states.some((state) => failed.has(state))) waiter.refuse(creditUnknown(thrown));
        }
      }
      this.review();
    }
    this.extending = false;
  }
}

/** Whether a call that cannot be admitted could be with a lower amount. */
function mayNeedLess(verdict: Verdict, { states, amount }: Waiter, nowMs: number): boolean {
  if (verdict.kind === "admit") return verdict.amounts.some((taken) => taken < amount);
  return verdict.kind === "wait" && states.every((state) => state.usable(nowMs) > 0n);
}
