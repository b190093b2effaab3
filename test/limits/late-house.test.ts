import { expect, test } from "bun:test";
import type { Change } from "../../src/limits/limit-store.ts";
import { MemoryLimitStore } from "../../src/limits/memory-limit-store.ts";
import type { Decision, Permit } from "../../src/limits/meter.ts";
import { fleet, type MakeHouse, meter, START_MS } from "./limiter-fleet.ts";

interface Mood {
  late: Promise<void> | null;
  away: boolean;
  /** So often it fails when it is told something. */
  deaf?: number;
}

/** A house in memory whose answers are late, or fail, while a test wants them to. */
function moodyHouse(mood: Mood): MakeHouse {
  const isDeaf = (changes: readonly Change[]): boolean =>
    changes.length > 0 && mood.deaf !== undefined && mood.deaf-- > 0;
  return async (clock) => {
    const store = new MemoryLimitStore("one", () => START_MS + clock.now);
    const answer = async <T>(work: () => T): Promise<T> => {
      if (mood.away) throw new Error("no answer");
      const told = work();
      if (mood.late) await mood.late;
      return told;
    };
    return {
      connected: true,
      take: (process, asks) => answer(() => store.take(process, asks)),
      tell: (process, changes) =>
        isDeaf(changes) ? Promise.reject(new Error("no answer")) : answer(() => store.tell(process, changes)),
      leave: (process) => answer(() => store.leave(process)),
    };
  };
}

/** Asks, and ends a call before the answer is there. */
function whileLate<T>(mood: { late: Promise<void> | null }, ask: () => T, running: Permit): T {
  const gate = Promise.withResolvers<void>();
  mood.late = gate.promise;
  const asked = ask();
  running.end(0);
  gate.resolve();
  mood.late = null;
  return asked;
}

test("a call that ends while another one is being asked for gives its own place free, and not that of the other", async () => {
  const mood = { late: null as Promise<void> | null, away: false };
  const { of } = await fleet(2, { now: 0 }, moodyHouse(mood));
  const limit = [meter("parallel", 2)];
  const first = (await of(0).take(limit, 0)) as Permit;
  const asked = whileLate(mood, () => of(0).take(limit, 0), first);
  expect((await asked).admitted).toBe(true);
  expect((await of(1).take(limit, 0)).admitted).toBe(true);
  expect((await of(1).take(limit, 0)).admitted).toBe(false);
});

test("a call that is refused while another one ends leaves no place taken", async () => {
  const mood = { late: null as Promise<void> | null, away: false };
  const { of } = await fleet(2, { now: 0 }, moodyHouse(mood));
  const limit = [meter("parallel", 3)];
  const [first] = [(await of(0).take(limit, 0)) as Permit, await of(1).take(limit, 0), await of(1).take(limit, 0)];
  const asked = whileLate(mood, () => of(0).take(limit, 0), first);
  expect((await asked).admitted).toBe(false);
  expect((await of(1).take(limit, 0)).admitted).toBe(true);
});

test("a place that is left while the house does not answer is free for all once it does", async () => {
  const mood = { late: null, away: false };
  const { of, beat } = await fleet(2, { now: 0 }, moodyHouse(mood));
  const limit = [meter("parallel", 1)];
  const before = (await of(0).take(limit, 0)) as Permit;
  mood.away = true;
  before.end(0);
  await beat();
  const meanwhile = (await of(0).take(limit, 0)) as Permit;
  expect(meanwhile.admitted).toBe(true);
  mood.away = false;
  await beat();
  expect((await of(1).take(limit, 0)).admitted).toBe(false);
  meanwhile.end(0);
  await beat();
  expect((await of(1).take(limit, 0)).admitted).toBe(true);
});

/** Both processes count together, and the house may then be away or deaf. */
async function withTokens() {
  const mood: Mood = { late: null, away: false };
  const clock = { now: 0 };
  const limit = [meter("tokens", 100)];
  const { of, beat } = await fleet(2, clock, moodyHouse(mood));
  const take = async (process: number, tokens: number): Promise<Decision> => of(process).take(limit, tokens);
  return { mood, clock, beat, take };
}

test.each([
  ["its place", meter("parallel", 1), 0],
  ["tokens that it did not use", meter("tokens", 100), 90],
])("a call has ended when the house has heard that %s may be had again", async (_, limit, tokens) => {
  const mood: Mood = { late: null, away: false };
  const { of } = await fleet(2, { now: 0 }, moodyHouse(mood));
  const call = (await of(0).take([limit], tokens)) as Permit;
  const gate = Promise.withResolvers<void>();
  mood.late = gate.promise;
  let hasHeard = false;
  const ending = (async () => {
    await call.end(0);
    return hasHeard;
  })();
  await Bun.sleep(0);
  hasHeard = true;
  mood.late = null;
  gate.resolve();
  expect(await ending).toBe(true);
  expect((await of(1).take([limit], tokens)).admitted).toBe(true);
});

test("tokens that are given back while the house does not answer are free for all once it does", async () => {
  const { mood, clock, beat, take } = await withTokens();
  const before = (await take(0, 100)) as Permit;
  mood.away = true;
  clock.now += 1_500;
  await beat();
  before.end(10);
  mood.away = false;
  await beat();
  expect((await take(1, 91)).admitted).toBe(false);
  expect((await take(1, 90)).admitted).toBe(true);
});

test("a call that was let in while the house was away is set right there when it ends", async () => {
  const { mood, clock, beat, take } = await withTokens();
  mood.away = true;
  await beat();
  const [short, long] = [(await take(0, 40)) as Permit, (await take(1, 10)) as Permit];
  mood.away = false;
  clock.now += 1_500;
  await beat();
  expect((await take(1, 51)).admitted).toBe(false);
  short.end(0);
  long.end(80);
  expect((await take(0, 21)).admitted).toBe(false);
  expect((await take(0, 20)).admitted).toBe(true);
});

test("a house that stops listening in the middle of a word is told again what it has not heard, and nothing else", async () => {
  const { mood, clock, beat, take } = await withTokens();
  expect((await take(0, 30)).admitted).toBe(true);
  clock.now += 1_500;
  mood.away = true;
  await beat();
  expect((await take(0, 10)).admitted).toBe(true);
  mood.away = false;
  mood.deaf = 3;
  for (let i = 0; i < 4; i++) await beat();
  expect((await take(1, 61)).admitted).toBe(false);
  expect((await take(1, 60)).admitted).toBe(true);
});

test("what a call has used is counted though the house did not hear of its end", async () => {
  const { mood, clock, beat, take } = await withTokens();
  const call = (await take(0, 10)) as Permit;
  clock.now += 1_500;
  mood.deaf = 1;
  call.end(40);
  await beat();
  await beat();
  expect((await take(1, 61)).admitted).toBe(false);
  expect((await take(1, 60)).admitted).toBe(true);
});
