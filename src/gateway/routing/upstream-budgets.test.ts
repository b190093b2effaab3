import { describe, expect, test } from "bun:test";
import { deployment, routerConfig } from "../../../test/gateway/routing.ts";
import { SteppedClock } from "../../../test/stepped-clock.ts";
import { Catalog } from "../../catalog/catalog.ts";
import type { TimeRange } from "../../usage/buckets.ts";
import { UpstreamBudgets } from "./upstream-budgets.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const budgetOf = (limit: number, period: string) =>
  routerConfig(`provider_budget_config: {echo: {budget_limit: ${limit}, time_period: ${period}}}`);

interface Logged {
  readonly at: number;
  readonly cost: bigint;
}

/** Books that a test writes, and budgets over them. */
function start(settings = budgetOf(1, "1d"), { isAlone = false, params = {} } = {}) {
  const clock = new SteppedClock();
  clock.set((Math.floor(clock.nowMs() / DAY_MS) + 1.5) * DAY_MS - clock.nowMs());
  const books: Logged[] = [];
  const asked: TimeRange[] = [];
  const state = {
    settings,
    catalog: new Catalog([deployment("a", params)]),
    before: async () => undefined as unknown,
    patience: new Promise<void>(() => {}),
  };
  const budgets = new UpstreamBudgets({
    settings: () => state.settings,
    catalog: () => state.catalog,
    costs: {
      async providerCosts(_by, names, range) {
        asked.push(range);
        const found = books.filter(({ at }) => at >= range.start && at < range.end);
        await state.before();
        return new Map(names.map((name) => [name, found.reduce((sum, { cost }) => sum + cost, 0n)]));
      },
    },
    clock,
    isAlone,
    sleep: () => state.patience,
  });
  let ids = 0;
  return {
    ...{ clock, books, asked, state, budgets },
    /** A call ends here; gives its id. */
    end(cost: bigint, at = clock.nowMs(), tags: readonly string[] = []): string {
      const id = String(ids++);
      budgets.add({ id, at, provider: "echo", deploymentId: "a", tags, providerCost: cost });
      return id;
    },
    settle(id: string, cost: bigint, at = clock.nowMs()): void {
      books.push({ at, cost });
      budgets.settled([id]);
    },
    spent: () => budgets.list().map((budget) => budget.spentAt(clock.nowMs()))[0],
  };
}

describe("what a process knows of a budget", () => {
  test("is what the books have and what has ended here since, each call once", async () => {
    const { clock, end, settle, spent, budgets } = start();
    const [first, second] = [end(1n), end(10n)];
    settle(first, 1n);
    await budgets.renew();
    expect(spent()).toBe(11n);
    settle(second, 10n);
    end(100n);
    clock.step(10_000);
    await budgets.renew();
    expect(spent()).toBe(111n);
  });

  test("leaves no call out that is settled while the books are read, and counts it once after the next look", async () => {
    const { clock, state, end, settle, spent, budgets } = start();
    const id = end(1n);
    state.before = async () => {
      state.before = async () => undefined;
      settle(id, 1n);
      end(10n);
    };
    await budgets.renew();
    expect(spent()).toBeGreaterThanOrEqual(11n);
    clock.step(10_000);
    await budgets.renew();
    expect(spent()).toBe(11n);
  });

  test("stays when the books cannot be read", async () => {
    const { clock, state, end, settle, spent, budgets } = start();
    const id = end(5n);
    state.before = () => Promise.reject(new Error("gone"));
    await expect(budgets.renew()).rejects.toThrow("gone");
    settle(id, 5n);
    expect(spent()).toBe(5n);
    state.before = async () => undefined;
    clock.step(10_000);
    await budgets.renew();
    expect(spent()).toBe(5n);
  });

  test("begins at nothing with each window, and a call counts in the one that it came in", async () => {
    const { clock, end, settle, spent, budgets } = start();
    const before = clock.nowMs();
    settle(end(3n), 3n);
    await budgets.renew();
    clock.step(DAY_MS);
    expect(spent()).toBe(0n);
    end(7n, before);
    expect(spent()).toBe(0n);
    await budgets.renew();
    expect(spent()).toBe(0n);
    end(2n);
    expect(spent()).toBe(2n);
  });

  test("a window that ends while the books are read is not filled with what the last one had", async () => {
    const { clock, books, state, spent, budgets } = start();
    books.push({ at: clock.nowMs(), cost: 9n });
    state.before = async () => {
      clock.step(DAY_MS);
      expect(spent()).toBe(0n);
    };
    await budgets.renew();
    expect(spent()).toBe(0n);
  });

  test("is not lost with another limit, and another window has its own", async () => {
    const { state, end, spent, budgets } = start();
    end(4n);
    state.settings = budgetOf(2, "24h");
    expect(spent()).toBe(4n);
    expect(budgets.list()[0]?.terms).toMatchObject({ limit: 2_000_000_000n, period: "24h" });
    state.settings = budgetOf(2, "7d");
    expect(spent()).toBe(0n);
    await budgets.renew();
    // It has not been settled, and was before this budget.
    expect(spent()).toBe(4n);
  });

  test("is there again when a budget was taken away and comes back, also where the books are seldom asked", async () => {
    const { clock, state, end, settle, spent, budgets } = start(budgetOf(1, "1d"), { isAlone: true });
    settle(end(4n), 4n);
    await budgets.renew();
    state.settings = routerConfig("");
    clock.step(10_000);
    await budgets.renew();
    state.settings = budgetOf(1, "1d");
    clock.step(10_000);
    await budgets.renew();
    expect(spent()).toBe(4n);
  });

  test("whether it will be spent then is asked without beginning the next window before its time", async () => {
    const { clock, end, spent, budgets } = start(budgetOf(1, "1d"));
    end(1_000_000_000n);
    const [budget] = budgets.list();
    expect(budget?.spentForMs(clock.nowMs())).toBe(DAY_MS / 2);
    expect(budget?.spentForMs(clock.nowMs() + DAY_MS)).toBe(0);
    expect(budget?.spentForMs(clock.nowMs())).toBe(DAY_MS / 2);
    expect(spent()).toBe(1_000_000_000n);
  });

  test("with a limit of nothing every window is spent", () => {
    const { clock, budgets } = start(budgetOf(0, "1d"));
    const [budget] = budgets.list();
    expect(budget?.spentForMs(clock.nowMs())).toBe(DAY_MS / 2);
    clock.step(DAY_MS);
    expect(budget?.spentForMs(clock.nowMs())).toBe(DAY_MS / 2);
  });

  test("follows a clock that was days ahead and is set back", async () => {
    const { clock, end, settle, spent, budgets } = start(budgetOf(1, "1d"));
    settle(end(3n), 3n);
    await budgets.renew();
    clock.set(5 * DAY_MS);
    expect(spent()).toBe(0n);
    await budgets.renew();
    clock.set(-5 * DAY_MS);
    end(2n);
    clock.step(10_000);
    await budgets.renew();
    expect(spent()).toBe(5n);
    end(1n);
    expect(spent()).toBe(6n);
  });
});

describe("the budget of a tag", () => {
  const tagged = routerConfig(
    "tag_budget_config: {x: {max_budget: 1, budget_duration: 1d}, y: {max_budget: 2, budget_duration: 1d}}",
  );

  test("is spent by calls with the tag, and a call with two of them counts for both", async () => {
    const { clock, end, budgets } = start(tagged);
    const spent = () => budgets.list().map((budget) => [budget.name, budget.spentAt(clock.nowMs())]);
    end(1_000_000_000n, clock.nowMs(), ["x", "y", "z"]);
    end(1n, clock.nowMs(), ["y"]);
    end(5n);
    expect(spent()).toEqual([
      ["x", 1_000_000_000n],
      ["y", 1_000_000_001n],
    ]);
    // None of them is settled: they are remembered beside what the books have.
    await budgets.renew();
    expect(spent()).toEqual([
      ["x", 1_000_000_000n],
      ["y", 1_000_000_001n],
    ]);
    const untilMs = clock.nowMs() + DAY_MS / 2;
    expect(budgets.spentTag({ tags: ["y", "x"] })).toEqual({ name: "x", untilMs });
    expect(budgets.spentTag({ tags: ["y", "z"] })).toBeNull();
    expect(budgets.spentTag({ tags: [] })).toBeNull();
  });

  test("tags of a call are not even looked at where no tag has a budget", () => {
    const { budgets } = start();
    const call = {
      get tags(): readonly string[] {
        throw new Error("looked at");
      },
    };
    expect(budgets.spentTag(call)).toBeNull();
  });

  test("and of a deployment are what calls that leave the log are kept for, from the longest window on", () => {
    const { clock, budgets } = start(tagged, { params: { max_budget: 1, budget_duration: "1d" } });
    const kept = (at: string) => {
      clock.set(Date.parse(at) - clock.nowMs());
      return { ...budgets.kept(), startMs: new Date(budgets.kept().startMs).toISOString().slice(0, 10) };
    };
    expect(kept("2030-09-10T12:00:00Z")).toEqual({
      startMs: "2030-09-01",
      deployments: new Set(["a"]),
      tags: new Set(["x", "y"]),
    });
    // The first of the month is a Tuesday: its week has begun before it.
    expect(kept("2030-10-02T12:00:00Z").startMs).toBe("2030-09-30");
  });
});

describe("what was spent of a budget that is new", () => {
  test("is waited for by the calls that come first, with one look at the books, and by none after them", async () => {
    const { clock, books, asked, spent, budgets } = start();
    books.push({ at: clock.nowMs(), cost: 9n });
    const waits = [budgets.known(), budgets.known()];
    expect(waits).not.toContain(null);
    await Promise.all(waits);
    expect([spent(), asked.length, budgets.known()]).toEqual([9n, 2, null]);
  });

  test("is waited for when a look was under way before there was the budget", async () => {
    const { clock, books, state, spent, budgets } = start(routerConfig(""), {
      params: { max_budget: 1, budget_duration: "1d" },
    });
    const gate = Promise.withResolvers<void>();
    state.before = () => gate.promise;
    const under = budgets.renew();
    state.settings = budgetOf(1, "1d");
    books.push({ at: clock.nowMs(), cost: 9n });
    const wait = budgets.known();
    gate.resolve();
    await Promise.all([under, wait]);
    expect(spent()).toBe(9n);
  });

  test("is not waited for where the books cannot be read or take too long, and known when they can be", async () => {
    for (const broken of [() => Promise.reject(new Error("gone")), () => new Promise(() => {})]) {
      const { clock, books, state, spent, budgets } = start();
      books.push({ at: clock.nowMs(), cost: 9n });
      state.before = broken;
      state.patience = Promise.resolve();
      await budgets.known();
      expect([spent(), budgets.known()]).toEqual([0n, null]);
    }
    const { clock, books, state, spent, budgets } = start();
    books.push({ at: clock.nowMs(), cost: 9n });
    state.before = () => Promise.reject(new Error("gone"));
    await budgets.known();
    state.before = async () => undefined;
    await budgets.renew();
    expect(spent()).toBe(9n);
  });

  test("a million calls that are settled during a look are taken at once", async () => {
    const { state, end, spent, budgets } = start();
    const ids = Array<string>(1_000_000).fill(end(1n));
    state.before = async () => {
      state.before = async () => undefined;
      budgets.settled(ids);
    };
    await budgets.renew();
    expect(spent()).toBe(1n);
  });
});

describe("the books", () => {
  test("count each call once when the clock is set back by an hour", async () => {
    const { clock, spent, books, budgets } = start(budgetOf(1, "30d"));
    for (const hours of [0, 1.1, 1.6, 5]) books.push({ at: clock.nowMs() - hours * HOUR_MS, cost: 1n });
    await budgets.renew();
    expect(spent()).toBe(4n);
    clock.set(-HOUR_MS);
    for (let looks = 0; looks < 10; looks++) {
      clock.step(HOUR_MS / 4);
      await budgets.renew();
    }
    expect(spent()).toBe(4n);
  });

  test("that got a call hours late are read whole at once: it is not forgotten until the next hour", async () => {
    const { clock, end, settle, spent, budgets } = start(budgetOf(1, "30d"));
    const at = clock.nowMs() - 3 * HOUR_MS;
    const id = end(7n, at);
    await budgets.renew();
    expect(spent()).toBe(7n);
    settle(id, 7n, at);
    clock.step(10_000);
    await budgets.renew();
    expect(spent()).toBe(7n);
  });

  test("are read whole once an hour, and of the last hour in between", async () => {
    const { clock, asked, spent, books, budgets } = start(budgetOf(1, "30d"));
    books.push({ at: clock.nowMs() - 5 * HOUR_MS, cost: 1n });
    await budgets.renew();
    const [past, lately] = asked.splice(0);
    expect(past?.end).toBe(lately?.start);
    expect((past?.end ?? 0) - (past?.start ?? 0)).toBeGreaterThan(0);
    expect(clock.nowMs() - (lately?.start ?? 0)).toBeLessThanOrEqual(HOUR_MS + 900_000);
    expect(spent()).toBe(1n);
    await budgets.renew();
    expect(asked).toEqual([]);
    for (let minutes = 0; minutes < 45; minutes += 15) {
      clock.step(HOUR_MS / 4);
      books.push({ at: clock.nowMs(), cost: 1n });
      await budgets.renew();
      for (const { start } of asked.splice(0)) expect(clock.nowMs() - start).toBeLessThanOrEqual(2 * HOUR_MS);
    }
    expect(spent()).toBe(4n);
    // One that took hours is found as well.
    books.push({ at: clock.nowMs() - 4 * HOUR_MS, cost: 10n });
    clock.step(HOUR_MS);
    await budgets.renew();
    expect(spent()).toBe(14n);
  });

  test("are asked about deployments hour by hour: a question about a month's log would take too long", async () => {
    const { clock, asked, spent, books, budgets } = start(routerConfig(""), {
      params: { max_budget: 1, budget_duration: "30d" },
    });
    for (const hours of [0, 1.5, 3, 11]) books.push({ at: clock.nowMs() - hours * HOUR_MS, cost: 1n });
    await budgets.renew();
    expect(spent()).toBe(4n);
    for (const { start, end } of asked) expect(end - start).toBeLessThanOrEqual(HOUR_MS);
    for (const [index, { start }] of asked.entries()) if (index > 0) expect(start).toBe(asked[index - 1]?.end ?? 0);
  });

  test("that have forgotten calls do not give back what was spent", async () => {
    const { clock, spent, books, budgets } = start(budgetOf(1, "30d"));
    books.push({ at: clock.nowMs() - 5 * HOUR_MS, cost: 6n });
    await budgets.renew();
    books.length = 0;
    clock.step(HOUR_MS);
    await budgets.renew();
    expect(spent()).toBe(6n);
  });

  test("are seldom asked where nobody else writes them, and at once about a budget that is new", async () => {
    const { clock, asked, state, budgets } = start(budgetOf(1, "1d"), { isAlone: true });
    await budgets.renew();
    asked.length = 0;
    clock.step(30 * 60_000);
    await budgets.renew();
    expect(asked).toEqual([]);
    state.catalog = new Catalog([deployment("a", { max_budget: 1, budget_duration: "1d" })]);
    await budgets.renew();
    expect(asked.length).toBeGreaterThan(0);
  });
});
