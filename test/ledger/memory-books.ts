import { REVENUE, walletOf } from "../../src/ledger/entry.ts";
import { grantOf, type Lease, type LeaseState, type LeaseStore } from "../../src/ledger/leases.ts";
import { costsByPot, type EndedCall, type SettleOutcome, type SettleStore } from "../../src/ledger/settle-store.ts";

/** The books as plain maps: what the databases have to agree with, to the nano-USD. */
export class MemoryBooks implements LeaseStore, Pick<SettleStore, "settle"> {
  readonly balances = new Map<string, bigint>();
  readonly budgets = new Map<string, bigint>();
  readonly usage = new Map<string, EndedCall>();
  leases: Lease[] = [];

  credit(organizationId: string, amount: bigint): void {
    this.move(walletOf(organizationId), amount);
    this.move("grants", -amount);
  }

  async extend(
    ...[owner, wants, { now, expiresAt }]: Parameters<LeaseStore["extend"]>
  ): Promise<readonly LeaseState[]> {
    return wants.map((want) => {
      const pot = want.pot.id;
      const capacity =
        want.pot.limit === null ? (this.balances.get(pot) ?? 0n) : want.pot.limit - (this.budgets.get(pot) ?? 0n);
      const own = this.amountOf(pot, owner);
      const others = this.leases.reduce(
        (sum, lease) => (lease.pot === pot && lease.owner !== owner ? sum + lease.amount : sum),
        0n,
      );
      const room = capacity - own - others;
      const granted = grantOf(want, room, others);
      if (granted > 0n) this.put(pot, owner, own + granted, expiresAt);
      if (granted < want.least) {
        this.leases = this.leases.map((lease) =>
          lease.pot === pot && lease.owner !== owner && lease.amount > 0n
            ? { ...lease, wantedAt: lease.wantedAt ?? now }
            : lease,
        );
      }
      return {
        pot,
        amount: own + granted,
        free: room - granted,
        others,
        isOpen: want.pot.limit !== null || this.balances.has(pot),
      };
    });
  }

  async giveBack(owner: string, amounts: ReadonlyMap<string, bigint>): Promise<ReadonlyMap<string, bigint>> {
    const left = new Map<string, bigint>();
    for (const [pot, amount] of amounts) {
      const own = this.amountOf(pot, owner);
      const rest = own > amount ? own - amount : 0n;
      left.set(pot, rest);
      this.leases = this.leases
        .map((lease) =>
          lease.pot === pot && lease.owner === owner ? { ...lease, amount: rest, wantedAt: null } : lease,
        )
        .filter((lease) => lease.pot !== pot || lease.owner !== owner || lease.amount > 0n);
    }
    return left;
  }

  async wanted(owner: string): Promise<readonly string[]> {
    return this.leases.filter((lease) => lease.owner === owner && lease.wantedAt !== null).map(({ pot }) => pot);
  }

  async renew(owner: string, expiresAt: number): Promise<number> {
    const isTheirs = (lease: Lease): boolean => lease.owner === owner && lease.amount > 0n;
    this.leases = this.leases.map((lease) => (isTheirs(lease) ? { ...lease, expiresAt } : lease));
    return this.leases.filter(isTheirs).length;
  }

  async leasesOf(owner: string): Promise<ReadonlyMap<string, bigint>> {
    return new Map(this.leases.filter((lease) => lease.owner === owner).map(({ pot, amount }) => [pot, amount]));
  }

  async drop(owner: string): Promise<void> {
    this.leases = this.leases.filter((lease) => lease.owner !== owner);
  }

  async sweep(endedBefore: number, endsAfter: number): Promise<number> {
    const before = this.leases.length;
    this.leases = this.leases.filter(({ expiresAt }) => expiresAt >= endedBefore && expiresAt <= endsAfter);
    return before - this.leases.length;
  }

  async settle(owner: string, calls: readonly EndedCall[]): Promise<SettleOutcome> {
    const added = calls.filter(
      ({ record: { id } }, at) => !this.usage.has(id) && calls.findIndex((call) => call.record.id === id) === at,
    );
    for (const call of added) {
      this.usage.set(call.record.id, call);
      if (call.record.organizationId === null) continue;
      this.move(walletOf(call.record.organizationId), -call.record.cost);
      this.move(REVENUE, call.record.cost);
    }
    const costs = costsByPot(added);
    const leases = new Map<string, bigint>();
    for (const pot of new Set(calls.flatMap(({ creditSources }) => creditSources))) {
      const cost = costs.get(pot) ?? 0n;
      if (!pot.startsWith("wallet:") && cost > 0n) this.budgets.set(pot, (this.budgets.get(pot) ?? 0n) + cost);
      const own = this.amountOf(pot, owner);
      const rest = own > cost ? own - cost : 0n;
      this.leases = this.leases.map((lease) =>
        lease.pot === pot && lease.owner === owner ? { ...lease, amount: rest } : lease,
      );
      leases.set(pot, rest);
    }
    return { settled: added.length, leases, changedTeams: [] };
  }

  amountOf(pot: string, owner: string): bigint {
    return this.leases.find((lease) => lease.pot === pot && lease.owner === owner)?.amount ?? 0n;
  }

  async balance(account: string): Promise<bigint> {
    return this.balances.get(account) ?? 0n;
  }

  async budget(pot: string): Promise<bigint> {
    return this.budgets.get(pot) ?? 0n;
  }

  async logged(): Promise<ReadonlyMap<string, bigint>> {
    return new Map([...this.usage].map(([id, { record }]) => [id, record.cost]));
  }

  async leasedOf(pot: string): Promise<bigint> {
    return this.leases.reduce((sum, lease) => (lease.pot === pot ? sum + lease.amount : sum), 0n);
  }

  async leasedBy(owner: string): Promise<bigint> {
    return this.leases.reduce((sum, lease) => (lease.owner === owner ? sum + lease.amount : sum), 0n);
  }

  async total(): Promise<bigint> {
    return [...this.balances.values()].reduce((sum, balance) => sum + balance, 0n);
  }

  private put(pot: string, owner: string, amount: bigint, expiresAt: number): void {
    const known = this.leases.find((lease) => lease.pot === pot && lease.owner === owner);
    this.leases = this.leases.filter((lease) => lease !== known);
    this.leases.push({ pot, owner, amount, expiresAt, wantedAt: known?.wantedAt ?? null });
  }

  private move(account: string, amount: bigint): void {
    this.balances.set(account, (this.balances.get(account) ?? 0n) + amount);
  }
}
