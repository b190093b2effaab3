import type { Clock } from "../lib/clock.ts";
import { ClockJumpDetector } from "../lib/clock-jump.ts";
import type { SerialQueue } from "../lib/serial-queue.ts";
import { PotState } from "./credit-state.ts";
import type { LeaseRequest, LeaseStore } from "./leases.ts";

export interface HeldLeasesDeps {
  readonly store: LeaseStore;
  /** The name of this process in the leases. */
  readonly owner: string;
  readonly clock: Clock;
  /** Whatever changes leases in the database does so one after another, so that memory follows in the same order. */
  readonly turns: SerialQueue;
  /** No other process uses this database: nobody can want what this one has. */
  readonly isAlone?: boolean;
}

const LEASE_MS = 60_000;
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
/** Less than from one tick to the next. */
const JUST_NOW_MS = 1;

/** What this process has leased, in memory as it is in the database. */
export class LeaseTable {
  private readonly creditSources = new Map<string, PotState>();
  /** What is idle of these goes back at once. */
  private readonly returning = new Set<string>();
  /** The database may have other leases of this process than are known here. */
  private isUnsure = false;
  private renewedAtMs: number;
  private sweptAtMs: number;
  private lookedAtMs: number;
  private readonly setClock: ClockJumpDetector;

  constructor(private readonly deps: HeldLeasesDeps) {
    this.renewedAtMs = deps.clock.monotonicMs();
    this.sweptAtMs = this.lookedAtMs = this.renewedAtMs;
    this.setClock = new ClockJumpDetector(deps.clock);
  }

  of(pot: string): PotState {
    let state = this.creditSources.get(pot);
    if (state === undefined) {
      state = new PotState(pot);
      this.creditSources.set(pot, state);
    }
    return state;
  }

  find(pot: string): PotState | undefined {
    return this.creditSources.get(pot);
  }

  get standing() {
    let [leased, held, spent] = [0n, 0n, 0n];
    for (const state of this.creditSources.values()) {
      leased += state.leased;
      held += state.held;
      spent += state.spent;
    }
    return { creditSources: this.creditSources.size, leased, held, spent };
  }

  /** In a turn. Takes more of the pots that want it, once what is leased of them is surely there. */
  async extend(
    states: readonly PotState[],
    wantOf: (state: PotState, nowMs: number) => LeaseRequest | null,
  ): Promise<void> {
    const { store, owner, clock } = this.deps;
    const sentAtMs = clock.monotonicMs();
    // A lease that may have been swept counts for nothing until it is known to be there.
    if (states.some((state) => state.leased > 0n && sentAtMs >= state.freshUntilMs)) await this.renew();
    await this.giveBackOutdated(states);
    const wants = states.flatMap((state) => wantOf(state, sentAtMs) ?? []);
    if (wants.length === 0) return;
    const now = clock.nowMs();
    const standings = await this.surely(store.extend(owner, wants, { now, expiresAt: now + LEASE_MS }));
    for (const standing of standings) this.of(standing.pot).learn(standing, sentAtMs, freshUntil(sentAtMs));
  }

  /** Of a pot that several processes share the last of, nobody keeps what its calls do not need: who asks next finds it. */
  leaveToOthers(state: PotState): void {
    if (state.idle <= 0n || state.waiting > 0 || this.returning.has(state.id)) return;
    this.returning.add(state.id);
    if (this.returning.size > 1) return;
    const turn = this.deps.turns.run(() => {
      const creditSources = [...this.returning];
      this.returning.clear();
      return this.giveBack(creditSources);
    });
    // What the database did not get to know of shows when the leases are renewed.
    turn.catch(() => undefined);
  }

  /** Gives back what others want and what nobody here needs. */
  async tidy(): Promise<void> {
    const { store, owner, clock, turns, isAlone = false } = this.deps;
    this.noticeSetClock();
    if (this.creditSources.size === 0) return;
    const wanted = isAlone ? [] : await store.wanted(owner);
    for (const pot of wanted) this.creditSources.get(pot)?.lacked(clock.monotonicMs());
    await turns.run(() => this.giveBack([...wanted, ...this.unused()]));
  }

  /** Prolongs what is leased, and ends what others left behind. */
  async prolong(): Promise<void> {
    const { store, clock, turns } = this.deps;
    const now = clock.monotonicMs();
    if (this.creditSources.size > 0 && now - this.renewedAtMs >= RENEW_MS) await turns.run(() => this.renew());
    if (now - this.sweptAtMs < SWEEP_EVERY_MS) return;
    this.sweptAtMs = now;
    const nowMs = clock.nowMs();
    await store.sweep(nowMs - SWEEP_AFTER_MS, nowMs + LEASE_MAX_MS);
  }

  async drop(): Promise<void> {
    const { store, owner, turns } = this.deps;
    await turns.run(() => store.drop(owner));
    this.creditSources.clear();
  }

  /** By a clock that was set all leases may be over: all holders renew theirs at once, before anybody sweeps. */
  private noticeSetClock(): void {
    if (!this.setClock.wasSetWithin(JUST_NOW_MS)) return;
    const now = this.deps.clock.monotonicMs();
    this.renewedAtMs = now - RENEW_MS;
    this.sweptAtMs = now;
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
    for (const [id, state] of this.creditSources) {
      if (!state.isUnused(now, this.deps.isAlone ?? false)) continue;
      if (state.leased > 0n) found.push(id);
      else this.creditSources.delete(id);
    }
    return found;
  }

  /** In a turn. What is given back is nobody's from now on, whether or not the database gets to know of it. */
  private async giveBack(creditSources: readonly string[]): Promise<void> {
    const amounts = new Map<string, bigint>();
    for (const pot of creditSources) {
      const amount = this.creditSources.get(pot)?.leave() ?? 0n;
      if (amount > 0n) amounts.set(pot, amount);
    }
    if (amounts.size === 0) return;
    const left = await this.surely(this.deps.store.giveBack(this.deps.owner, amounts));
    for (const pot of amounts.keys()) this.of(pot).leased = left.get(pot) ?? 0n;
  }

  /** In a turn. Read again is only what may differ: to read 10,000 leases kept all others waiting for 17 ms, every 20 seconds. */
  private async renew(): Promise<void> {
    const { store, owner, clock } = this.deps;
    const sentAtMs = clock.monotonicMs();
    const renewed = await store.renew(owner, clock.nowMs() + LEASE_MS);
    this.renewedAtMs = sentAtMs;
    let known = 0;
    for (const state of this.creditSources.values()) if (state.leased > 0n) known++;
    if (this.isUnsure || renewed !== known) await this.readAgain();
    for (const state of this.creditSources.values()) state.freshUntilMs = freshUntil(sentAtMs);
  }

  private async readAgain(): Promise<void> {
    const leases = await this.deps.store.leasesOf(this.deps.owner);
    this.isUnsure = false;
    for (const [id, state] of this.creditSources) state.leased = leases.get(id) ?? 0n;
    // Also what is not known here any more: it goes back when what is unused is looked for.
    for (const [pot, amount] of leases) this.of(pot).leased = amount;
  }

  /** What failed may be in the database all the same. */
  private async surely<T>(change: Promise<T>): Promise<T> {
    try {
      return await change;
    } catch (thrown) {
      this.isUnsure = true;
      throw thrown;
    }
  }
}
