import { expect, test } from "bun:test";
import type { GatewayError } from "../contract/errors.ts";
import { Overload, type OverloadLimits } from "./overload.ts";

function setUp(limits: Partial<OverloadLimits> = {}) {
  const state = { now: 0, pending: 2 };
  const all = { delayMsMax: 250, pendingMax: 10, ...limits };
  const overload = new Overload(
    () => all,
    () => state.pending,
    () => state.now,
  );
  /** The loop is measured all the time, and is so late each time. */
  const pass = (ms: number, delayMs: number) => {
    for (const end = state.now + ms; state.now < end; ) {
      state.now += delayMs + 20;
      overload.noteDelay(delayMs);
    }
  };
  return { state, overload, pass };
}

function refusal(overload: Overload): GatewayError | null {
  try {
    overload.check();
    return null;
  } catch (thrown) {
    return thrown as GatewayError;
  }
}

test("calls are turned away once the event loop has been late for a second, and let in when it is not", () => {
  const { overload, pass } = setUp();
  pass(5_000, 200);
  expect(refusal(overload)).toBeNull();
  pass(900, 300);
  expect(refusal(overload)).toBeNull();
  pass(1_000, 300);
  expect(refusal(overload)).toMatchObject({ kind: "unavailable", headers: { "retry-after": "1" } });
  pass(20, 0);
  expect(refusal(overload)).toBeNull();
  expect(overload.shed).toBe(1);
});

test("late now and then is no overload", () => {
  const { overload, pass } = setUp();
  for (let i = 0; i < 20; i++) {
    pass(300, 300);
    pass(20, 5);
    expect(refusal(overload)).toBeNull();
  }
});

test("one step that blocks for long is no overload, one after another is", () => {
  const { overload, pass } = setUp();
  pass(1, 5_000);
  expect(refusal(overload)).toBeNull();
  pass(20, 0);
  expect(refusal(overload)).toBeNull();
  pass(1, 5_000);
  pass(1, 5_000);
  expect(refusal(overload)).not.toBeNull();
});

test("a call that comes alone is let in however late the loop is: turning it away would help nobody", () => {
  const { overload, state, pass } = setUp();
  pass(5_000, 300);
  state.pending = 1;
  expect(refusal(overload)).toBeNull();
  state.pending = 2;
  expect(refusal(overload)).not.toBeNull();
});

test("more requests at one time than there may be are turned away", () => {
  const { overload, state } = setUp();
  state.pending = 10;
  expect(refusal(overload)).toBeNull();
  state.pending = 11;
  expect(refusal(overload)?.kind).toBe("unavailable");
  expect(overload.shed).toBe(1);
});

test("bounds of zero are none", () => {
  const { overload, state, pass } = setUp({ delayMsMax: 0, pendingMax: 0 });
  state.pending = 1_000_000;
  pass(10_000, 1_000);
  expect(refusal(overload)).toBeNull();
});
