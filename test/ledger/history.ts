import fc from "fast-check";
import type { GatewayError } from "../../src/contract/errors.ts";
import type { CreditSource, Hold } from "../../src/ledger/books.ts";
import { walletOf } from "../../src/ledger/entry.ts";
import { LeasedCredit } from "../../src/ledger/leased-credit.ts";
import type { LeaseStore } from "../../src/ledger/leases.ts";
import { type EndedCall, endedCall, type SettleStore } from "../../src/ledger/settle-store.ts";
import { Settler } from "../../src/ledger/settler.ts";
import { SerialQueue } from "../../src/lib/serial-queue.ts";
import { newCall } from "./new-call.ts";
import { SteppedTime, settle as settlePromises } from "./stepped-time.ts";

/** The books that a history runs over: plain maps, or a database. */
export interface Shelf extends LeaseStore, Pick<SettleStore, "settle"> {
  credit(organizationId: string, amount: bigint): Promise<void> | void;
  balance(account: string): Promise<bigint>;
  budget(pot: string): Promise<bigint>;
  /** Ids and costs of the usage log. */
  logged(): Promise<ReadonlyMap<string, bigint>>;
  leasedOf(pot: string): Promise<bigint>;
  leasedBy(owner: string): Promise<bigint>;
  /** Sum over all accounts. */
  total(): Promise<bigint>;
}

export type Command =
  | {
      readonly kind: "hold";
      readonly process: number;
      readonly organization: number;
      readonly budget: boolean;
      readonly amount: number;
    }
  | { readonly kind: "settle"; readonly call: number; readonly cost: number }
  | { readonly kind: "release" | "duplicate"; readonly call: number }
  | { readonly kind: "credit"; readonly organization: number; readonly amount: number }
  | { readonly kind: "flush" | "crash" | "stall" | "tick"; readonly process: number; readonly reverse: boolean }
  | { readonly kind: "pass"; readonly ms: number };

const process = fc.nat(1);
const organization = fc.nat(1);
const call = fc.nat(9);
const reverse = fc.boolean();

export const histories = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("hold" as const),
        process,
        organization,
        budget: fc.boolean(),
        amount: fc.nat(30),
      }),
    },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("settle" as const), call, cost: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("release" as const, "duplicate" as const), call }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("credit" as const),
        organization,
        amount: fc.integer({ min: 1, max: 120 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("flush" as const, "tick" as const), process, reverse }) },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom("crash" as const, "stall" as const), process, reverse }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(10, 200, 1_000, 40_000) }),
    },
  ),
  { minLength: 1, maxLength: 40 },
);

interface Call {
  readonly id: string;
  readonly owner: Process;
  readonly organizationId: string;
  readonly creditSources: readonly CreditSource[];
  hold: Hold | null;
  state: "waiting" | "open" | "ended" | "gone";
}

interface Process {
  readonly owner: string;
  readonly desk: LeasedCredit;
  readonly settler: Settler;
  readonly stop: AbortController;
  /** Others have taken its leases away, which it finds out later. */
  stalled: boolean;
  /** What stands in its journal and is not settled, as a crash leaves it. */
  readonly journal: Map<string, EndedCall>;
}

const BUDGET_LIMIT = 150n;
const INPUT_COST = 3n;
const LOOK_MS = 10_000;

/** A history of two processes over one set of books, beside the plain sums of what must come out. */
export class History {
  private readonly time = new SteppedTime();
  private readonly processes: Process[];
  private readonly calls: Call[] = [];
  private readonly organizations: readonly string[];
  /** The model: what was given, what ended calls cost, and by how much holds fell short of costs. */
  private readonly credits = new Map<string, bigint>();
  private readonly costs = new Map<string, bigint>();
  private readonly spent = new Map<string, bigint>();
  private readonly excess = new Map<string, bigint>();
  private count = 0;

  constructor(
    private readonly shelf: Shelf,
    private readonly name: string,
    /** Lets everything happen that follows from a step. */
    private readonly pause: () => Promise<void>,
  ) {
    this.organizations = [`${name}-a`, `${name}-b`];
    this.processes = [this.newProcess(), this.newProcess()];
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const command of commands) {
      await this.step(command);
      await this.quiet();
      this.checkAdmission();
      await this.checkLeases();
    }
    await this.finish();
  }

  private newProcess(): Process {
    const owner = `${this.name}-${++this.count}`;
    const turns = new SerialQueue();
    const { time, shelf } = this;
    const journal = new Map<string, EndedCall>();
    const desk = new LeasedCredit({ store: shelf, owner, clock: time, timers: time, turns });
    const settler = new Settler({
      store: shelf,
      owner,
      clock: time,
      // Only commands flush: the history decides when.
      timers: { after: () => () => undefined },
      turns,
      onFault: (thrown) => {
        throw thrown;
      },
      onSettled(calls, costs, { leases }) {
        desk.settled(costs, leases);
        for (const { record } of calls) journal.delete(record.id);
      },
    });
    return { owner, desk, settler, journal, stop: new AbortController(), stalled: false };
  }

  private async step(command: Command): Promise<void> {
    switch (command.kind) {
      case "hold":
        return this.hold(command);
      case "settle":
        return this.settle(this.calls.at(command.call - this.calls.length), BigInt(command.cost));
      case "release":
        return this.release(this.calls.at(command.call - this.calls.length));
      case "duplicate": {
        const known = this.calls.at(command.call - this.calls.length);
        const cost = known && this.costs.get(known.id);
        if (!known || cost === undefined) return;
        // As a redelivered batch, or the journal of a process that died after it had settled.
        await this.shelf.settle(known.owner.owner, [this.ended(known, cost)], this.time.nowMs());
        known.owner.journal.delete(known.id);
        return;
      }
      case "credit": {
        const id = this.organizations[command.organization] ?? "";
        await this.shelf.credit(id, BigInt(command.amount));
        add(this.credits, walletOf(id), BigInt(command.amount));
        for (const { desk } of this.processes) desk.credited(walletOf(id));
        return;
      }
      case "flush":
        await this.processes[command.process]?.settler.flush();
        return;
      case "tick":
        await this.processes[command.process]?.desk.tick();
        return;
      case "crash":
        return this.crash(command.process, command.reverse);
      case "stall":
        return this.stall(command.process);
      case "pass":
        return this.pass(command.ms);
    }
  }

  private hold({ process: at, organization: which, budget, amount }: Command & { kind: "hold" }): void {
    const owner = this.processes[at];
    const organizationId = this.organizations[which];
    if (!owner || organizationId === undefined) return;
    const wallet: CreditSource = { id: walletOf(organizationId), organizationId, limit: null };
    const creditSources = budget
      ? [wallet, { id: `budget:team:${organizationId}:0`, organizationId, limit: BUDGET_LIMIT }]
      : [wallet];
    const made: Call = {
      id: `${this.name}-call-${++this.count}`,
      owner,
      organizationId,
      creditSources,
      hold: null,
      state: "waiting",
    };
    this.calls.push(made);
    const taken = (hold: Hold): void => {
      if (made.state === "gone") hold.release();
      else Object.assign(made, { hold, state: "open" });
    };
    const held = owner.desk.hold({ callId: made.id, creditSources, amount: BigInt(amount), signal: owner.stop.signal });
    if (!(held instanceof Promise)) taken(held);
    else {
      held.then(taken, (error) => {
        made.state = "gone";
        this.checkRefusal(made, error);
      });
    }
  }

  private ended = ({ id, organizationId, creditSources }: Call, cost: bigint): EndedCall =>
    endedCall(
      newCall({ id, organizationId, cost }),
      creditSources.map((pot) => pot.id),
    );

  private settle(known: Call | undefined, cost: bigint): void {
    if (known?.state !== "open" || known.hold === null) return;
    known.state = "ended";
    this.charge(known, cost);
    const ended = this.ended(known, cost);
    known.owner.journal.set(known.id, ended);
    if (known.owner.settler.add(ended)) known.owner.desk.spend(ended.creditSources, cost);
    known.hold.settle(cost);
    known.hold.settle(cost);
  }

  private release(known: Call | undefined): void {
    if (known?.state !== "open" || known.hold === null) return;
    known.state = "gone";
    known.hold.release();
    known.hold.release();
  }

  private charge({ id, creditSources, hold }: Call, cost: bigint): void {
    this.costs.set(id, cost);
    for (const pot of creditSources) {
      add(this.spent, pot.id, cost);
      const short = cost - (hold?.amount ?? 0n);
      if (short > 0n) add(this.excess, pot.id, short);
    }
  }

  /** Its memory is gone; another one reads its journal, settles what is there and ends its leases. */
  private async crash(at: number, reverse: boolean): Promise<void> {
    const dead = this.processes[at];
    if (!dead) return;
    const left = [...dead.journal.values()];
    for (const known of this.calls) {
      if (known.owner !== dead) continue;
      if (known.state === "open") {
        this.charge(known, INPUT_COST);
        left.push(this.ended(known, INPUT_COST));
        known.state = "ended";
      } else if (known.state === "waiting") known.state = "gone";
    }
    this.processes[at] = this.newProcess();
    dead.stop.abort();
    await this.pause();
    if (reverse) left.reverse();
    for (let from = 0; from < left.length; from += 3) {
      await this.shelf.settle(dead.owner, left.slice(from, from + 3), this.time.nowMs());
    }
    await this.shelf.settle(dead.owner, left, this.time.nowMs());
    await this.shelf.drop(dead.owner);
  }

  /** Processes that are alive look after their leases meanwhile. */
  private async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= LOOK_MS) {
      await this.time.pass(Math.min(left, LOOK_MS));
      if (left > LOOK_MS) for (const { desk } of this.processes) await desk.tick();
      await this.quiet();
    }
  }

  /** It does nothing for so long that the others take its leases away. What it then has open is covered by nothing. */
  private async stall(at: number): Promise<void> {
    const stalled = this.processes[at];
    if (!stalled) return;
    stalled.stalled = true;
    await this.time.pass(40_000);
    for (const other of this.processes) if (other !== stalled) await other.desk.tick();
    await this.time.pass(40_000);
    for (const known of this.calls) {
      if (known.owner !== stalled || known.state !== "open") continue;
      for (const pot of known.creditSources) add(this.excess, pot.id, known.hold?.amount ?? 0n);
    }
    for (const { record, creditSources } of stalled.journal.values())
      for (const pot of creditSources) add(this.excess, pot, record.cost);
    for (const other of this.processes) if (other !== stalled) await other.desk.tick();
  }

  /** Refused for good: then nothing was left, to the nano-USD. */
  private checkRefusal({ creditSources }: Call, error: GatewayError): void {
    if (error.kind === "unavailable") return;
    const spent = creditSources.filter(({ id, limit }) => this.capacity(id, limit) <= 0n);
    const kind = error.kind === "insufficient_quota" ? "wallet" : "budget";
    if (!spent.some(({ id }) => id.startsWith(kind)))
      throw new Error(`refused ${error.kind} though something was left`);
  }

  private capacity(pot: string, limit: bigint | null): bigint {
    return (limit ?? this.credits.get(pot) ?? 0n) - (this.spent.get(pot) ?? 0n);
  }

  /** What is held never exceeds what there is, but by what calls cost beyond their holds. */
  private checkAdmission(): void {
    const held = new Map<string, { amount: bigint; limit: bigint | null }>();
    for (const { state, creditSources, hold } of this.calls) {
      if (state !== "open" || hold === null) continue;
      for (const { id, limit } of creditSources)
        held.set(id, { amount: (held.get(id)?.amount ?? 0n) + hold.amount, limit });
    }
    for (const [pot, { amount, limit }] of held) {
      const left = this.capacity(pot, limit) + (this.excess.get(pot) ?? 0n);
      if (amount > left) throw new Error(`${pot}: ${amount} are held, and there are ${left}`);
    }
  }

  /** Memory follows the database. */
  private async checkLeases(): Promise<void> {
    for (const { owner, desk, settler, stalled } of this.processes) {
      const [known, stored] = [desk.standing.leased, await this.shelf.leasedBy(owner)];
      if (!stalled && settler.standing.waiting === 0 && known !== stored)
        throw new Error(`${owner} believes to have ${known} and has ${stored}`);
    }
  }

  private async quiet(): Promise<void> {
    do await this.pause();
    while (this.processes.some(({ desk }) => desk.asking));
    await this.pause();
  }

  /** Everything comes to its end, and the books are what the sums say. */
  private async finish(): Promise<void> {
    for (let round = 0; round < 12; round++) {
      for (const known of this.calls) this.release(known);
      for (const { desk, settler } of this.processes) {
        await settler.flush();
        await desk.tick();
      }
      await this.time.pass(500);
      await this.quiet();
    }
    if (this.calls.some(({ state }) => state === "waiting")) throw new Error("a call waits for ever");
    for (const { desk, settler } of this.processes) {
      await settler.flush();
      const { held, spent } = desk.standing;
      if (held !== 0n || spent !== 0n) throw new Error(`a process still has ${held} held and ${spent} to settle`);
      await desk.close();
    }
    await this.checkBooks();
  }

  private async checkBooks(): Promise<void> {
    const expected = new Map([...this.costs].sort());
    const logged = new Map([...(await this.shelf.logged())].sort());
    if (String([...logged]) !== String([...expected]))
      throw new Error(`the log has ${[...logged]}, not ${[...expected]}`);
    if ((await this.shelf.total()) !== 0n) throw new Error("the accounts do not add up to nothing");
    for (const id of this.organizations) {
      const wallet = walletOf(id);
      const balance = await this.shelf.balance(wallet);
      if (balance !== this.capacity(wallet, null))
        throw new Error(`${wallet}: ${balance}, not ${this.capacity(wallet, null)}`);
      const budget = `budget:team:${id}:0`;
      const spent = await this.shelf.budget(budget);
      if (spent !== (this.spent.get(budget) ?? 0n)) throw new Error(`${budget}: ${spent}`);
      for (const pot of [wallet, budget]) {
        if ((await this.shelf.leasedOf(pot)) !== 0n) throw new Error(`${pot} is still leased`);
      }
    }
  }
}

function add(sums: Map<string, bigint>, key: string, amount: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
}

export { settlePromises };
