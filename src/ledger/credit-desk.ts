import type { Clock } from "../lib/clock.ts";
import type { Timers } from "../lib/timers.ts";
import type { Turns } from "../lib/turns.ts";
import { type CreditDesk, type Hold, type HoldRequest, NOTHING_HELD } from "./books.ts";
import type { LeaseStore } from "./leases.ts";
import { OpenHold } from "./open-hold.ts";
import { PotState } from "./pot-state.ts";
import { refusalOf } from "./refusal.ts";
import { callerLeft, heldElsewhere, judge, notKnown, type Waiter, wantOf } from "./waiter.ts";

export interface DeskDeps {
  readonly store: LeaseStore;
  /** The name of this process in the leases. */
  readonly owner: string;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Whatever changes leases in the database does so one after another, so that memory follows in the same order. */
  readonly turns: Turns;
  /** No other process uses this database: nobody can want what this one has. */
  readonly isAlone?: boolean;
  readonly waitMaxMs?: number;
  /** What is spent is to be in the database soon: until then it counts as something that could come back. */
  readonly hurry?: () => void;
}

export const LEASE_MS = 60_000;
/** A lease counts as lost so long before it ends: clocks differ, and a call takes a moment. */
const LEASE_MARGIN_MS = 10_000;
const freshUntil = (sentAtMs: number): number => sentAtMs + LEASE_MS - LEASE_MARGIN_MS;
const RENEW_MS = 20_000;
/** Leases of others are swept so long after they ended. */
const SWEEP_AFTER_MS = 15_000;
const SWEEP_EVERY_MS = 30_000;
/** Who lives has renewed a lease that ends later than this, as soon as the clock was set back. Clocks of servers differ. */
const LEASE_MAX_MS = 5 * LEASE_MS;
const LOOK_MS = 3_000;
const WAIT_MAX_MS = 5_000;
/** Somebody else may be giving back at this moment; who is still asking after a while asks less often. */
const ASK_AGAIN_MS = 10;
const ASK_AGAIN_MAX_MS = 100;
/** A pot that had nothing more is asked again for the background only after this. */
const TOP_UP_PAUSE_MS = 1_000;

/** Admission against leases in memory. The database is asked when they run low, and by those who would else be refused. */
export class LeasingDesk implements CreditDesk {
  private readonly pots = new Map<string, PotState>();
  private readonly waiters = new Set<Waiter>();
  private readonly wanted = new Set<PotState>();
  private extending = false;
  private askAgain: (() => void) | null = null;
  private askAgainMs = ASK_AGAIN_MS;
  /** What is idle of these goes back at once. */
  private readonly returning = new Set<string>();
  private renewedAtMs: number;
  private sweptAtMs: number;
  private lookedAtMs: number;
  /** How far the time of day is ahead of the clock that nobody sets. */
  private aheadMs: number;

  constructor(private readonly deps: DeskDeps) {
    this.renewedAtMs = deps.clock.monotonicMs();
    this.sweptAtMs = this.lookedAtMs = this.renewedAtMs;
    this.aheadMs = deps.clock.nowMs() - this.renewedAtMs;
  }

  hold(request: HoldRequest): Hold | Promise<Hold> {
    const { pots, amount } = request;
    const former = request.former instanceof OpenHold && request.former.isOpen ? request.former : null;
    const now = this.deps.clock.monotonicMs();
    if (former) return this.enlarge(former, request, now);
    if (amount <= 0n || pots.length === 0) return NOTHING_HELD;
    const states: PotState[] = [];
    let enough = true;
    for (const pot of pots) {
      const state = this.stateOf(pot.id);
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
  spend(pots: readonly string[], cost: bigint): void {
    const nowMs = this.deps.clock.monotonicMs();
    for (const pot of pots) {
      const state = this.stateOf(pot);
      state.spend(cost);
      state.usedAtMs = nowMs;
    }
    this.review();
  }

  /** A batch is in the database: what it cost by pot, and what the leases are since. */
  settled(costs: ReadonlyMap<string, bigint>, leases: ReadonlyMap<string, bigint>): void {
    for (const [pot, cost] of costs) {
      const state = this.stateOf(pot);
      state.settle(cost);
      const amount = leases.get(pot);
      if (amount !== undefined) state.leased = amount;
    }
    this.review();
  }

  /** Credit was added or taken back: whoever calls next finds out. */
  credited(pot: string): void {
    this.pots.get(pot)?.outdate();
    this.review();
  }

  /** To be called every moment: gives back what others want, prolongs leases, ends those that nobody needs. */
  async tick(): Promise<void> {
    const { store, owner, clock, turns, isAlone = false } = this.deps;
    this.noticeSetClock();
    if (this.pots.size > 0) {
      const wanted = isAlone ? [] : await store.wanted(owner);
      for (const pot of wanted) this.pots.get(pot)?.lacked(clock.monotonicMs());
      await turns.run(() => this.giveBack([...wanted, ...this.unused()]));
      this.review();
    }
    const now = clock.monotonicMs();
    if (this.pots.size > 0 && now - this.renewedAtMs >= RENEW_MS) await turns.run(() => this.renew());
    if (now - this.sweptAtMs >= SWEEP_EVERY_MS) {
      this.sweptAtMs = now;
      const nowMs = clock.nowMs();
      await store.sweep(nowMs - SWEEP_AFTER_MS, nowMs + LEASE_MAX_MS);
    }
  }

  /** By a clock that was set all leases may be over: all holders renew theirs at once, before anybody sweeps. */
  private noticeSetClock(): void {
    const now = this.deps.clock.monotonicMs();
    const aheadMs = this.deps.clock.nowMs() - now;
    const setMs = Math.abs(aheadMs - this.aheadMs);
    this.aheadMs = aheadMs;
    if (setMs < LEASE_MARGIN_MS) return;
    this.renewedAtMs = now - RENEW_MS;
    this.sweptAtMs = now;
  }

  /** When all calls are settled: nothing stays leased. */
  async close(): Promise<void> {
    const { store, owner, turns } = this.deps;
    for (const waiter of this.waiters) waiter.refuse(callerLeft());
    await turns.run(() => store.drop(owner));
    this.pots.clear();
  }

  /** Whether the database is being asked for more. */
  get asking(): boolean {
    return this.extending;
  }

  /** For metrics and tests. */
  get standing() {
    let [leased, held, spent] = [0n, 0n, 0n];
    for (const state of this.pots.values()) {
      leased += state.leased;
      held += state.held;
      spent += state.spent;
    }
    return { pots: this.pots.size, waiting: this.waiters.size, leased, held, spent };
  }

  private stateOf(id: string): PotState {
    let state = this.pots.get(id);
    if (state === undefined) {
      state = new PotState(id);
      this.pots.set(id, state);
    }
    return state;
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
      if (taken < amount) state.clamped = true;
      const paused = state.sole && nowMs - state.askedAtMs < TOP_UP_PAUSE_MS;
      if (!paused && state.idle < state.lowWater) this.want(state);
    }
    if (former === null) return new OpenHold(this, states, amounts, amount);
    former.become(amounts, amount);
    return former;
  }

  /** A hold has ended: once for each. */
  letGo(hold: OpenHold): void {
    this.putBack(hold);
    this.review();
    this.leaveToOthers(hold.states);
  }

  /** Of a pot that several processes share the last of, nobody keeps what its calls do not need: who asks next finds it. */
  private leaveToOthers(states: readonly PotState[]): void {
    const now = this.deps.clock.monotonicMs();
    for (const state of states) {
      if (!state.isContested(now)) continue;
      if (state.spent > 0n) this.deps.hurry?.();
      if (state.idle <= 0n || state.waiting > 0 || this.returning.has(state.id)) continue;
      this.returning.add(state.id);
      if (this.returning.size > 1) continue;
      const turn = this.deps.turns.run(() => {
        const pots = [...this.returning];
        this.returning.clear();
        return this.giveBack(pots);
      });
      // What the database did not get to know of shows when the lease is renewed.
      turn.catch(() => undefined);
    }
  }

  private putBack(hold: OpenHold): void {
    const nowMs = this.deps.clock.monotonicMs();
    for (let index = 0; index < hold.states.length; index++) {
      const state = hold.states[index] as PotState;
      state.letGo(hold.taken(index));
      if (hold.isClamped(index)) state.clamped = false;
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
    const cancel = this.deps.timers.after(this.deps.waitMaxMs ?? WAIT_MAX_MS, () => waiter.refuse(heldElsewhere()));
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
      const verdict = judge(waiter, now);
      if (verdict.kind === "admit") {
        waiter.admit(this.take(waiter.states, verdict.amounts, waiter.request.amount, now, waiter.former));
      } else if (verdict.kind === "refuse") {
        waiter.refuse(refusalOf(verdict.state, this.deps.clock.nowMs()));
      } else if (verdict.kind === "ask") for (const state of verdict.states) this.want(state);
    }
    if (this.waiters.size > 0) this.askLater();
  }

  /** What others give back shows only in the database. */
  private askLater(): void {
    this.askAgain ??= this.deps.timers.after(this.askAgainMs, () => {
      this.askAgain = null;
      this.askAgainMs = this.waiters.size > 0 ? Math.min(2 * this.askAgainMs, ASK_AGAIN_MAX_MS) : ASK_AGAIN_MS;
      const now = this.deps.clock.monotonicMs();
      for (const { states, request } of this.waiters) {
        for (const state of states) if (state.usable(now) < request.amount) this.want(state);
      }
      this.review();
    });
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
          await this.ask(asked);
        });
      } catch (thrown) {
        const failed = new Set(asked.length > 0 ? asked : this.wanted);
        this.wanted.clear();
        for (const waiter of this.waiters) {
          if (waiter.states.some((state) => failed.has(state))) waiter.refuse(notKnown(thrown));
        }
      }
      this.review();
    }
    this.extending = false;
  }

  private async ask(states: readonly PotState[]): Promise<void> {
    const { store, owner, clock } = this.deps;
    const sentAtMs = clock.monotonicMs();
    // A lease that may have been swept counts for nothing until it is known to be there.
    if (states.some((state) => state.leased > 0n && sentAtMs >= state.freshUntilMs)) await this.renew();
    await this.giveBackOutdated(states);
    const wants = states.flatMap((state) => wantOf(state, this.waiters, sentAtMs) ?? []);
    if (wants.length === 0) return;
    const now = clock.nowMs();
    const standings = await store.extend(owner, wants, { now, expiresAt: now + LEASE_MS });
    for (const standing of standings) this.stateOf(standing.pot).learn(standing, sentAtMs, freshUntil(sentAtMs));
  }

  /** In a turn. What was leased ahead under another limit may be more than there is now. */
  private async giveBackOutdated(states: readonly PotState[]): Promise<void> {
    const outdated = states.filter((state) => state.outdated);
    for (const state of outdated) state.outdated = false;
    if (outdated.length > 0) await this.giveBack(outdated.map(({ id }) => id));
  }

  /** Now and then: with 10,000 pots in use, looking at all of them at every tick took a tenth of a processor. */
  private unused(): string[] {
    const now = this.deps.clock.monotonicMs();
    if (now - this.lookedAtMs < LOOK_MS) return [];
    this.lookedAtMs = now;
    const found: string[] = [];
    for (const [id, state] of this.pots) {
      if (!state.isUnused(now, this.deps.isAlone ?? false)) continue;
      if (state.leased > 0n) found.push(id);
      else this.pots.delete(id);
    }
    return found;
  }

  /** In a turn. What is given back is nobody's from now on, whether or not the database gets to know of it. */
  private async giveBack(pots: readonly string[]): Promise<void> {
    const amounts = new Map<string, bigint>();
    for (const pot of pots) {
      const amount = this.pots.get(pot)?.leave() ?? 0n;
      if (amount > 0n) amounts.set(pot, amount);
    }
    if (amounts.size === 0) return;
    const left = await this.deps.store.giveBack(this.deps.owner, amounts);
    for (const pot of amounts.keys()) this.stateOf(pot).leased = left.get(pot) ?? 0n;
  }

  private async renew(): Promise<void> {
    const { store, owner, clock } = this.deps;
    const sentAtMs = clock.monotonicMs();
    const leases = await store.renew(owner, clock.nowMs() + LEASE_MS);
    this.renewedAtMs = sentAtMs;
    for (const [id, state] of this.pots) {
      state.leased = leases.get(id) ?? 0n;
      state.freshUntilMs = freshUntil(sentAtMs);
    }
  }
}
