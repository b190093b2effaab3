import { expect, test } from "bun:test";
import type { CreditSource, Hold } from "../../src/ledger/books.ts";
import { LeasedCredit } from "../../src/ledger/leased-credit.ts";
import { endedCall } from "../../src/ledger/settle-store.ts";
import { Settler } from "../../src/ledger/settler.ts";
import { SerialQueue } from "../../src/lib/serial-queue.ts";
import { MemoryBooks } from "./memory-books.ts";
import { newCall } from "./new-call.ts";
import { SteppedTime, settle } from "./stepped-time.ts";

const TICK_MS = 250;
/** Less than a tick, and less than a batch waits to be settled. */
const LONG_MS = 50;

/** A process with a settler, as the program has it. */
function startProcess(books: MemoryBooks, time: SteppedTime, owner: string) {
  const turns = new SerialQueue();
  const deps = { owner, clock: time, timers: time, turns };
  const desk: LeasedCredit = new LeasedCredit({ ...deps, store: books, flushSoon: () => settler.flushSoon() });
  const settler: Settler = new Settler({
    ...deps,
    store: books,
    onFault: (thrown) => expect(thrown).toBeNull(),
    onSettled: (_calls, costs, { leases }) => desk.settled(costs, leases),
  });
  const tick = async (): Promise<void> => {
    await desk.tick();
    time.after(TICK_MS, tick);
  };
  time.after(TICK_MS, tick);
  return { desk, settler };
}

/** One client that calls one process after the other; gives how often it was answered, and how often that took long. */
async function takeTurns(processes: number, pot: CreditSource, estimate: bigint, cost: bigint) {
  const books = new MemoryBooks();
  books.credit("org", 1_000_000n);
  const time = new SteppedTime();
  const fleet = Array.from({ length: processes }, (_, index) => startProcess(books, time, `p${index}`));
  let [answers, long] = [0, 0];
  for (let turn = 0; turn < 60; turn++) {
    const { desk, settler } = fleet[turn % processes] as (typeof fleet)[number];
    const { signal } = new AbortController();
    let outcome: Hold | "refused" | null = null;
    Promise.resolve(desk.hold({ callId: "call", creditSources: [pot], amount: estimate, signal })).then(
      (hold) => (outcome = hold),
      () => (outcome = "refused"),
    );
    const since = time.monotonicMs();
    for (await settle(); outcome === null; await settle()) await time.pass(5);
    if (time.monotonicMs() - since > LONG_MS) long++;
    const held = outcome as Hold | "refused";
    if (held === "refused") continue;
    answers++;
    await time.pass(5);
    const ended = endedCall(newCall({ organizationId: "org", cost }), [pot.id]);
    settler.add(ended);
    desk.spend(ended.creditSources, cost);
    held.settle(cost);
    await time.pass(2);
  }
  await time.pass(1_000);
  return { answers, long, spent: books.budgets.get(pot.id) };
}

test.each([
  { processes: 2, limit: 50n, estimate: 27n, answers: 50 },
  { processes: 2, limit: 100n, estimate: 27n, answers: 60 },
  { processes: 3, limit: 50n, estimate: 27n, answers: 50 },
  { processes: 3, limit: 100n, estimate: 27n, answers: 60 },
  { processes: 3, limit: 50n, estimate: 1n, answers: 50 },
])(
  "who calls $processes processes in turn with $limit left, at an estimate of $estimate, seldom waits for what another has",
  async ({ processes, limit, estimate, answers }) => {
    const pot: CreditSource = { id: "budget:key:a:0", organizationId: "org", limit };
    const seen = await takeTurns(processes, pot, estimate, 1n);
    expect(seen.answers).toBe(answers);
    expect(seen.spent).toBe(BigInt(answers));
    expect(seen.long).toBeLessThanOrEqual(3);
  },
);
