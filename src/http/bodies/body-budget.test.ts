import { describe, expect, test } from "bun:test";
import type { KeyCaller } from "../../contract/caller.ts";
import type { Timers } from "../../lib/timers.ts";
import { BodyBudget, type BodyLimits } from "./body-budget.ts";

const LIMITS: BodyLimits = {
  totalBytesMax: 100_000,
  callerBytesMax: 60_000,
  addressBytesMax: 80_000,
  timeoutMs: 10_000,
};

/** Time passes in steps of a second, at each of which the budget looks for bodies that are overdue. */
function startBudget(limits: Partial<BodyLimits> = {}) {
  let nowMs = 0;
  let due: (() => void)[] = [];
  const timers: Timers = {
    after(_, work) {
      due.push(work);
      return () => undefined;
    },
  };
  const budget = new BodyBudget(
    () => ({ ...LIMITS, ...limits }),
    timers,
    () => nowMs,
  );
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second++) {
      nowMs += 1_000;
      const ready = due;
      due = [];
      for (const work of ready) work();
    }
  };
  const receive = (keyId: string | null, remoteAddress: string, declaredBytes: number | null = null) =>
    budget.receive({
      caller: keyId === null ? null : ({ kind: "key", keyId } as KeyCaller),
      connection: { remoteAddress },
      declaredBytes,
    });
  return { budget, pass, receive, timers: () => due.length };
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (thrown: unknown) => thrown,
  );

describe("the bytes of arriving bodies", () => {
  test("count until the body is closed, however often that happens", () => {
    const { budget, receive } = startBudget();
    const first = receive("a", "192.0.2.1");
    first.reserve(50_000);
    const second = receive("a", "192.0.2.1");
    expect(() => second.add(20_000)).toThrow("with this key or session");
    first.close();
    first.close();
    second.add(20_000);
    expect([budget.heldBytes, budget.rejected]).toEqual([20_000, 1]);
    second.close();
    second.add(20_000);
    expect(budget.heldBytes).toBe(0);
  });

  test("of one network count together, and those of another do not", () => {
    const { receive } = startBudget();
    receive(null, "2001:db8::1").add(70_000);
    expect(() => receive(null, "2001:db8::2").require(20_000)).toThrow("from this address");
    receive(null, "2001:db8:0:1::1").add(20_000);
  });

  test("of a short body of a known caller do not count for its address", () => {
    const { receive } = startBudget();
    receive(null, "192.0.2.1").add(79_000);
    receive("a", "192.0.2.1", 10_000).reserve(10_000);
    expect(() => receive("a", "192.0.2.1", 20_000).reserve(5_000)).toThrow("from this address");
  });

  test("have no limit where it is 0", () => {
    const { budget, receive } = startBudget({ totalBytesMax: 0, callerBytesMax: 0, addressBytesMax: 0 });
    for (let count = 0; count < 10; count++) receive("a", "192.0.2.1").add(1_000_000_000);
    expect(budget.heldBytes).toBe(10_000_000_000);
  });
});

describe("a body that is slow", () => {
  test("fails when its time is up", async () => {
    const { budget, pass, receive } = startBudget();
    const body = receive("a", "192.0.2.1", 100);
    const reading = failure(body.within(new Promise(() => undefined)));
    pass(9);
    expect(budget.rejected).toBe(0);
    pass(1);
    expect(await reading).toMatchObject({ kind: "timeout", headers: { connection: "close" } });
    body.close();
  });

  test("gets a second for each 16 KiB that arrive", async () => {
    const { budget, pass, receive } = startBudget({ totalBytesMax: 0, callerBytesMax: 0, addressBytesMax: 0 });
    const body = receive("a", "192.0.2.1");
    const reading = failure(body.within(new Promise(() => undefined)));
    for (let second = 0; second < 100; second++) {
      body.add(16 * 1024);
      pass(1);
    }
    expect(budget.rejected).toBe(0);
    pass(10);
    expect(await reading).toMatchObject({ kind: "timeout" });
  });

  test("is not waited for when none is left", () => {
    const { pass, receive, timers } = startBudget();
    receive("a", "192.0.2.1").close();
    receive("a", "192.0.2.1").close();
    expect(timers()).toBe(1);
    pass(1);
    expect(timers()).toBe(0);
  });
});
