import { describe, expect, test } from "bun:test";
import { LoginThrottle } from "./login-throttle.ts";

function setUp() {
  const state = { now: 0 };
  const throttle = new LoginThrottle({ nowMs: () => state.now, monotonicMs: () => state.now });
  const fail = (times: number, address = "10.0.0.1") => {
    for (let count = 0; count < times; count++) throttle.failed("a@b.c", address);
  };
  const isOpen = (address = "10.0.0.1", email = "a@b.c"): boolean => {
    try {
      throttle.check(email, address);
      return true;
    } catch {
      return false;
    }
  };
  return { state, throttle, fail, isOpen };
}

describe("wrong passwords", () => {
  test("are forgiven a few times", () => {
    const { fail, isOpen } = setUp();
    fail(4);
    expect(isOpen()).toBe(true);
  });

  test("then cost time that doubles, up to a quarter of an hour", () => {
    const { state, fail, isOpen } = setUp();
    fail(5);
    expect(isOpen()).toBe(false);
    state.now = 1_000;
    expect(isOpen()).toBe(true);
    fail(1);
    state.now = 2_999;
    expect(isOpen()).toBe(false);
    state.now = 3_000;
    expect(isOpen()).toBe(true);
    fail(60);
    state.now += 15 * 60 * 1000;
    expect(isOpen()).toBe(true);
  });

  test("of one network keep nobody else out, nor another account", () => {
    const { fail, isOpen } = setUp();
    fail(50);
    expect([isOpen("10.0.0.2"), isOpen("10.0.0.1", "other@b.c")]).toEqual([true, true]);
  });

  test("count for a whole IPv6 network", () => {
    const { fail, isOpen } = setUp();
    fail(6, "2001:db8:1:2:3:4:5:6");
    expect([isOpen("2001:db8:1:2:9:9:9:9"), isOpen("2001:db8:1:3:9:9:9:9")]).toEqual([false, true]);
  });

  test("count for a whole IPv6 network however short its addresses are written", () => {
    const { fail, isOpen } = setUp();
    fail(6, "2001:db8::1");
    expect([isOpen("2001:db8::2"), isOpen("2001:DB8:0:0:9::9"), isOpen("2001:db8:0:1::1")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("are forgotten with the right one", () => {
    const { throttle, fail, isOpen } = setUp();
    fail(9);
    throttle.succeeded("a@b.c", "10.0.0.1");
    expect(isOpen()).toBe(true);
  });

  test("for many accounts from one address cost time too, which is never long for those who share it", () => {
    const { state, throttle, isOpen } = setUp();
    const spray = (times: number) => {
      for (let count = 0; count < times; count++) throttle.failed(`${count}@b.c`, "10.0.0.1");
    };
    spray(99);
    expect(isOpen("10.0.0.1", "new@b.c")).toBe(true);
    spray(1);
    expect([isOpen("10.0.0.1", "new@b.c"), isOpen("10.0.0.2", "new@b.c")]).toEqual([false, true]);
    spray(50);
    state.now = 59_999;
    expect(isOpen("10.0.0.1", "new@b.c")).toBe(false);
    state.now = 60_000;
    expect(isOpen("10.0.0.1", "new@b.c")).toBe(true);
    // Whoever guesses has an account of their own, too.
    spray(1);
    throttle.succeeded("0@b.c", "10.0.0.1");
    expect(isOpen("10.0.0.1", "new@b.c")).toBe(false);
  });

  test("of one at an address do not keep out who was let in from there before", async () => {
    const { throttle, isOpen } = setUp();
    throttle.succeeded("a@b.c", "10.0.0.1");
    for (let count = 0; count < 150; count++) throttle.failed(`${count}@b.c`, "10.0.0.1");
    expect([isOpen(), isOpen("10.0.0.1", "new@b.c")]).toEqual([true, false]);
    // Whoever guesses at their account waits as always.
    for (let count = 0; count < 5; count++) throttle.failed("a@b.c", "10.0.0.1");
    expect(isOpen()).toBe(false);
  });

  test("for many accounts that are sent at once are counted like those that are sent one by one", async () => {
    const { throttle, state } = setUp();
    for (let count = 0; count < 110; count++) throttle.failed(`${count}@b.c`, "10.0.0.1");
    state.now = 60_000;
    let tried = 0;
    const guess = (email: string) =>
      throttle
        .attempt(email, "10.0.0.1", async () => {
          tried++;
          await Promise.resolve();
          throttle.failed(email, "10.0.0.1");
        })
        .catch(() => undefined);
    await Promise.all(Array.from({ length: 80 }, (_, at) => guess(`at-once-${at}@b.c`)));
    expect(tried).toBe(1);
  });

  test("of one address are counted anew after an hour, however steadily they come", () => {
    const { state, throttle, isOpen } = setUp();
    for (let count = 0; count < 240; count++) {
      state.now = count * 60_000;
      throttle.failed(`${count}@b.c`, "10.0.0.1");
      expect(isOpen("10.0.0.1", "new@b.c")).toBe(true);
    }
  });

  test("from many IPv6 networks of one customer are those of one address", () => {
    const { throttle, isOpen } = setUp();
    for (let count = 0; count < 100; count++) throttle.failed("a@b.c", `2001:db8:1:${count.toString(16)}::1`);
    expect([isOpen("2001:db8:1:ffff::1"), isOpen("2001:db8:2::1")]).toEqual([false, true]);
  });
});
