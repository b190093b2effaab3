import { describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/contract/errors.ts";
import type { CreditSource, Hold } from "../../src/ledger/books.ts";
import { LeasedCredit } from "../../src/ledger/leased-credit.ts";
import { SerialQueue } from "../../src/lib/serial-queue.ts";
import { rejection } from "../storage/rejection.ts";
import { bench, WALLET } from "./credit-bench.ts";
import { MemoryBooks } from "./memory-books.ts";
import { SteppedTime, settle } from "./stepped-time.ts";

const BUDGET: CreditSource = { id: "budget:key:k:0", organizationId: "org", limit: 50n };

describe("the credit desk", () => {
  test("asks the database for the first call, and answers the next ones at once", async () => {
    const { hold } = bench(1_000n);
    const first = await hold(10n);
    expect(first.amount).toBe(10n);
    for (let call = 0; call < 5; call++) expect(hold(10n)).not.toBeInstanceOf(Promise);
  });

  test("what is free needs nothing, and asks nobody", () => {
    const { hold, books } = bench(0n);
    expect(hold(0n)).not.toBeInstanceOf(Promise);
    expect(hold(5n, [])).not.toBeInstanceOf(Promise);
    expect(books.leases).toEqual([]);
  });

  test.each([3_600_000, -3_600_000])("a clock that is set by %d ms leases nothing twice", async (aheadMs) => {
    const { hold, books, time, desks } = bench(100n, 2);
    await hold(80n);
    // The second process is about to sweep when the clock is set, and looks first from then on.
    await time.pass(29_900);
    for (const { desk } of desks) await desk.tick();
    time.set(aheadMs);
    for (let look = 0; look < 300; look++) {
      await time.pass(250);
      for (const { desk } of desks.toReversed()) await desk.tick();
      const leased = books.leases.reduce((sum, { amount }) => sum + amount, 0n);
      expect(leased).toBeGreaterThanOrEqual(80n);
    }
  });

  test.each([3_600_000, -3_600_000])("a clock that is set by %d ms keeps nothing of the dead", async (aheadMs) => {
    const { hold, time, desks } = bench(100n, 2);
    const [, heir] = desks;
    await hold(80n);
    await heir?.desk.tick();
    time.set(aheadMs);
    for (let look = 0; look < 300; look++) {
      await time.pass(250);
      await heir?.desk.tick();
    }
    expect((await heir?.hold(100n))?.amount).toBe(100n);
  });

  describe("what a call has already", () => {
    const more = (bench: { desk: LeasedCredit }, former: Hold, amount: bigint) =>
      bench.desk.hold({
        callId: "call",
        creditSources: [WALLET],
        amount,
        signal: new AbortController().signal,
        former,
      });

    test("becomes more", async () => {
      const all = bench(100n);
      const first = await all.hold(60n);
      expect(await more(all, first, 90n)).toBe(first);
      expect([first.amount, all.desk.standing.held]).toEqual([90n, 90n]);
      first.release();
      expect(all.desk.standing.held).toBe(0n);
    });

    test("is nobody else's meanwhile", async () => {
      const all = bench(100n);
      const first = await all.hold(100n);
      const waiting = Promise.resolve(all.hold(60n));
      while (all.desk.asking) await Promise.resolve();
      expect(await more(all, first, 150n)).toBe(first);
      expect(all.desk.standing).toMatchObject({ held: 100n, waiting: 1 });
      first.release();
      expect((await waiting).amount).toBe(60n);
    });

    test("becomes what is left where that is not enough, at once", async () => {
      const all = bench(100n);
      const first = await all.hold(200n);
      expect(first.amount).toBe(100n);
      expect(await more(all, first, 500n)).toBe(first);
      expect([first.amount, all.desk.standing.held]).toEqual([100n, 100n]);
      first.release();
      expect([all.desk.standing.held, (await all.hold(50n)).amount]).toEqual([0n, 50n]);
    });

    test("cannot become more once the call has ended", async () => {
      const all = bench(100n);
      const first = await all.hold(60n);
      await all.hold(40n);
      first.release();
      const anew = await more(all, first, 30n);
      expect(anew).not.toBe(first);
      expect([anew.amount, all.desk.standing.held]).toEqual([30n, 70n]);
    });
  });

  test("a hold ends once: a second end gives nothing back", async () => {
    const { hold, desk } = bench(100n);
    const held = await hold(30n);
    await hold(30n);
    held.release();
    held.release();
    held.settle(1n);
    expect(desk.standing.held).toBe(30n);
  });

  test("without credit a call is refused for good; with a budget that is used up, by the budget's name", async () => {
    const { hold, charge } = bench(0n);
    const error = await rejection(Promise.resolve(hold(1n)));
    expect(error).toMatchObject({
      kind: "insufficient_quota",
      message: "There is no credit yet; buy credits to begin.",
      headers: { "x-should-retry": "false" },
    });
    const poor = bench(50n);
    await poor.charge(await poor.hold(50n), 50n);
    expect(await rejection(Promise.resolve(poor.hold(1n)))).toMatchObject({
      kind: "insufficient_quota",
      message: "The organization's credit is used up; buy credits to go on.",
    });
    const rich = bench(1_000n);
    await rich.charge(await rich.hold(50n, [WALLET, BUDGET]), 50n, [WALLET, BUDGET]);
    expect(await rejection(Promise.resolve(rich.hold(1n, [WALLET, BUDGET])))).toMatchObject({
      kind: "budget_exceeded",
      message: "The key's budget is used up, and does not begin anew; an administrator can raise it.",
      headers: { "x-should-retry": "false" },
    });
    expect(rich.hold(1n)).not.toBeInstanceOf(Promise);
    expect(charge).toBeFunction();
  });

  test("a budget that begins anew is refused with whose it is, when that will be and how long until then", async () => {
    const { hold, charge, time } = bench(1_000n);
    for (const [scope, whose] of [
      ["organization:o", "The organization's budget"],
      ["team:t", "The team's budget"],
      ["member:t/7", "The budget of this key's maker in the team"],
      ["user:7", "What the person who made this key may spend"],
    ]) {
      const endMs = time.nowMs() + 90_500;
      const creditSources = [WALLET, { id: `budget:${scope}:0`, organizationId: "org", limit: 50n, endMs }];
      await charge(await hold(50n, creditSources), 50n, creditSources);
      const refusal = await rejection(Promise.resolve(hold(1n, creditSources)));
      expect(refusal).toMatchObject({
        message: `${whose} is used up; it begins anew at ${new Date(endMs).toISOString()}, or an administrator raises it.`,
        headers: { "x-should-retry": "false", "retry-after": "91" },
      });
    }
  });

  test("credit that is added counts at once", async () => {
    const { hold, books, desk } = bench(0n);
    expect(await rejection(Promise.resolve(hold(1n)))).toBeInstanceOf(GatewayError);
    books.credit("org", 5n);
    desk.credited(WALLET.id);
    expect((await hold(1n)).amount).toBe(1n);
  });

  test("a budget that is lowered holds for the next call, whatever was leased ahead of it", async () => {
    const { hold, charge } = bench(1_000n);
    const creditSources = [WALLET, { ...BUDGET, limit: 500n }];
    await charge(await hold(10n, creditSources), 10n, creditSources);
    const lowered = [WALLET, { ...BUDGET, limit: 15n }];
    await charge(await hold(5n, lowered), 5n, lowered);
    expect(await rejection(Promise.resolve(hold(5n, lowered)))).toMatchObject({ kind: "budget_exceeded" });
    expect(hold(5n)).not.toBeInstanceOf(Promise);
  });

  test("a budget that is lowered while calls run waits for them, and counts them", async () => {
    const { hold, charge } = bench(1_000n);
    const creditSources = [WALLET, { ...BUDGET, limit: 500n }];
    const running = await hold(10n, creditSources);
    const lowered = [WALLET, { ...BUDGET, limit: 10n }];
    const next = rejection(Promise.resolve(hold(5n, lowered)));
    await settle();
    await charge(running, 10n, creditSources);
    expect(await next).toMatchObject({ kind: "budget_exceeded" });
  });

  test("a budget that is lowered below what is spent is refused as used up, whatever another process has of it", async () => {
    const { desks, charge, hold, time } = bench(1_000n, 2);
    const creditSources = [WALLET, { ...BUDGET, limit: 500n }];
    await charge(await hold(10n, creditSources), 10n, creditSources);
    await desks[1]?.hold(10n, creditSources);
    const refusal = rejection(Promise.resolve(hold(5n, [WALLET, { ...BUDGET, limit: 8n }])));
    await time.pass(10_000);
    expect(await refusal).toMatchObject({ kind: "budget_exceeded" });
  });

  test("a budget that is raised counts at once, also just after a refusal", async () => {
    const { hold, charge } = bench(1_000n);
    const creditSources = [WALLET, BUDGET];
    await charge(await hold(50n, creditSources), 50n, creditSources);
    expect(await rejection(Promise.resolve(hold(5n, creditSources)))).toMatchObject({ kind: "budget_exceeded" });
    expect((await hold(5n, [WALLET, { ...BUDGET, limit: 60n }])).amount).toBe(5n);
  });

  test("who needs more than is left gets what is left, one at a time; the others wait for it", async () => {
    const { hold, charge, time } = bench(10n);
    const clamped = await hold(50n);
    expect(clamped.amount).toBe(10n);
    const next = Promise.resolve(hold(50n));
    let answered = false;
    void next.then(() => (answered = true));
    await time.pass(1_000);
    expect(answered).toBe(false);
    await charge(clamped, 4n);
    expect((await next).amount).toBe(6n);
  });

  test("a call waits for what others hold, rather than get less than it needs", async () => {
    const { hold, time } = bench(25n);
    const whole = await hold(20n);
    const waiting = Promise.resolve(hold(20n));
    let answered = false;
    void waiting.then(() => (answered = true));
    await time.pass(200);
    expect(answered).toBe(false);
    whole.release();
    expect((await waiting).amount).toBe(20n);
  });

  describe("the amount that a call asks for", () => {
    const ask = (credit: LeasedCredit, amount: bigint, refined: bigint) => {
      const asked = { count: 0 };
      const refine = async (): Promise<bigint> => {
        asked.count++;
        return refined;
      };
      const signal = new AbortController().signal;
      return { asked, held: credit.hold({ callId: "call", creditSources: [WALLET], amount, refine, signal }) };
    };

    test("is not refined where it is available", async () => {
      const { desk } = bench(1_000n);
      const { asked, held } = ask(desk, 100n, 10n);
      expect((await held).amount).toBe(100n);
      expect(asked.count).toBe(0);
    });

    test("is refined once where less is left", async () => {
      const { desk } = bench(50n);
      const { asked, held } = ask(desk, 100n, 10n);
      expect((await held).amount).toBe(10n);
      expect(asked.count).toBe(1);
      const next = ask(desk, 100n, 40n);
      expect((await next.held).amount).toBe(40n);
    });

    test("is all that is left where that is less than the refined amount", async () => {
      const { desk } = bench(50n);
      const { asked, held } = ask(desk, 100n, 60n);
      expect((await held).amount).toBe(50n);
      expect(asked.count).toBe(1);
    });
  });

  test("waiting ends after a while, and with the caller", async () => {
    const { hold, time } = bench(10n);
    await hold(10n);
    const stop = new AbortController();
    const [late, left] = [
      rejection(Promise.resolve(hold(10n))),
      rejection(Promise.resolve(hold(10n, [WALLET], stop.signal))),
    ];
    await time.pass(1_000);
    stop.abort();
    expect(await left).toMatchObject({ kind: "unavailable" });
    await time.pass(5_000);
    expect(await late).toMatchObject({ kind: "unavailable", headers: { "retry-after": "1" } });
  });

  test("while the database is away calls go on for as long as the lease lasts, and are 503 then, never 402", async () => {
    const { hold, books, time } = bench(1_000n);
    await hold(10n);
    books.extend = () => Promise.reject(new GatewayError("database", "away"));
    for (let call = 0; call < 7; call++) expect((await hold(10n)).amount).toBe(10n);
    expect(await rejection(Promise.resolve(hold(10n)))).toMatchObject({ kind: "unavailable" });
    delete (books as { extend?: unknown }).extend;
    await time.pass(10);
    expect((await hold(10n)).amount).toBe(10n);
  });

  test("what is leased of plenty is enough for twenty seconds more of what was called before the database went away", async () => {
    const { hold, charge, books, desk, time } = bench(1_000_000n);
    for (let call = 0; call < 600; call++) {
      await charge(await hold(10n), 10n);
      await time.pass(100);
      if (call % 10 === 0) await desk.tick();
    }
    const away = () => Promise.reject(new GatewayError("database", "away"));
    Object.assign(books, { extend: away, renew: away, wanted: away });
    for (let call = 0; call < 200; call++) {
      const held = await hold(10n);
      desk.spend([WALLET.id], 10n);
      held.settle(10n);
      await time.pass(100);
    }
    // It stays a small part of what is there, and is anybody's who wants it.
    expect(desk.standing.leased).toBeLessThan(10_000n);
  });

  test("of little, no more is leased ahead than a few calls need", async () => {
    const { hold, charge, books, time } = bench(1_000n);
    for (let call = 0; call < 50; call++) {
      await charge(await hold(10n), 10n);
      await time.pass(100);
    }
    expect(books.amountOf(WALLET.id, "p0")).toBeLessThanOrEqual(80n);
  });

  test("a lease that others may have swept counts for nothing until it is known to be there", async () => {
    const { desks, time, books } = bench(80n, 2);
    const [a, b] = desks;
    if (!a || !b) return;
    (await a.hold(10n)).release();
    expect(books.amountOf(WALLET.id, "p0")).toBe(80n);
    await time.pass(40_000);
    await b.desk.tick();
    await time.pass(40_000);
    await b.desk.tick();
    expect(books.leases).toEqual([]);
    expect((await b.hold(80n)).amount).toBe(80n);
    const held = Promise.resolve(a.hold(10n));
    let answered = false;
    void held.then(
      () => (answered = true),
      () => undefined,
    );
    await settle();
    expect(answered).toBe(false);
    expect(a.desk.standing.leased).toBe(0n);
  });

  test("a process gives back what it does not need, when another wants it and when nobody called for a while", async () => {
    const { desks, time, books } = bench(80n, 2);
    const [a, b] = desks;
    if (!a || !b) return;
    const held = await a.hold(10n);
    expect(books.amountOf(WALLET.id, "p0")).toBe(80n);
    const wanted = Promise.resolve(b.hold(20n));
    await settle();
    await a.desk.tick();
    await time.pass(200);
    expect((await wanted).amount).toBe(20n);
    expect(books.amountOf(WALLET.id, "p0")).toBe(10n);
    held.release();
    await time.pass(31_000);
    await a.desk.tick();
    expect(books.amountOf(WALLET.id, "p0")).toBe(0n);
    expect(a.desk.standing.creditSources).toBeLessThanOrEqual(1);
  });

  test("a process that is alone with its database looks for nobody, and gives back what it does not need all the same", async () => {
    const books = new MemoryBooks();
    books.credit("org", 80n);
    books.wanted = () => Promise.reject(new Error("nobody can want anything"));
    const time = new SteppedTime();
    const turns = new SerialQueue();
    const desk = new LeasedCredit({ store: books, owner: "p0", clock: time, timers: time, turns, isAlone: true });
    const { signal } = new AbortController();
    const budget: CreditSource = { ...WALLET, id: "budget:key:a:0", limit: 50n };
    (await desk.hold({ callId: "call", creditSources: [WALLET, budget], amount: 10n, signal })).release();
    await desk.tick();
    expect([WALLET.id, budget.id].map((id) => books.amountOf(id, "p0"))).toEqual([80n, 50n]);
    // What is held of the balance is shown to people; what a budget has left to one process is nobody's business.
    await time.pass(31_000);
    await desk.tick();
    expect([WALLET.id, budget.id].map((id) => books.amountOf(id, "p0"))).toEqual([0n, 50n]);
    await time.pass(600_000);
    await desk.tick();
    expect([WALLET.id, budget.id].map((id) => books.amountOf(id, "p0"))).toEqual([0n, 0n]);
  });

  test.each([
    ["did not reach the database", false],
    ["was lost on its way back", true],
  ] as const)("what was given back and %s is not leased for ever", async (_how, isDone) => {
    const { books, time, desk, hold } = bench(80n);
    const other: CreditSource = { ...WALLET, id: "budget:key:a:0", limit: 50n };
    const running = await hold(10n, [other]);
    (await hold(10n)).release();
    const { giveBack } = books;
    books.giveBack = async (...args) => {
      if (isDone) await giveBack.apply(books, args);
      throw new Error("the line is dead");
    };
    await time.pass(31_000);
    await expect(desk.tick()).rejects.toThrow("the line is dead");
    books.giveBack = giveBack;
    for (let tick = 0; tick < 20; tick++) {
      await time.pass(5_000);
      await desk.tick();
    }
    expect(books.leases.map(({ pot }) => pot)).toEqual([other.id]);
    expect(desk.standing.creditSources).toBe(1);
    running.release();
  });

  test("leases are read again only where some may have been lost", async () => {
    const { books, time, desk, hold } = bench(80n);
    let reads = 0;
    const { leasesOf } = books;
    books.leasesOf = (owner) => {
      reads++;
      return leasesOf.call(books, owner);
    };
    const held = await hold(10n);
    await time.pass(21_000);
    await desk.tick();
    expect(reads).toBe(0);
    books.leases = [];
    await time.pass(21_000);
    await desk.tick();
    expect([reads, desk.standing.leased]).toEqual([1, 0n]);
    held.release();
  });
});
