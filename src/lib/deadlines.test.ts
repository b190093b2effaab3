import { expect, test } from "bun:test";
import { Deadlines, type Held } from "./deadlines.ts";

function setUp() {
  const clock = { now: 0 };
  const deadlines = new Deadlines(() => clock.now);
  const client = new AbortController();
  const start = (totalMs: number, held: Held | null = null) =>
    deadlines.start(client.signal, totalMs, () => new Error("total"), held);
  const step = (ms: number) => {
    clock.now += ms;
    deadlines.check();
  };
  return { client, start, step };
}

test("the whole has a limit, and the reason says so", () => {
  const { start, step } = setUp();
  const { signal } = start(100);
  step(99);
  expect(signal.aborted).toBe(false);
  step(1);
  expect(signal.reason).toEqual(new Error("total"));
});

test("the next thing has a limit of its own, which starts anew each time", () => {
  const { start, step } = setUp();
  const deadline = start(1_000);
  deadline.expectWithin(50, () => new Error("first"));
  step(49);
  deadline.expectWithin(50, () => new Error("second"));
  step(49);
  expect(deadline.signal.aborted).toBe(false);
  step(1);
  expect(deadline.signal.reason).toEqual(new Error("second"));
});

test("a limit without a reason has another one instead, and the whole keeps its own", () => {
  const { start, step } = setUp();
  const deadline = start(1_000);
  deadline.expectWithin(50, () => {
    deadline.expectWithin(20, () => new Error("later"));
    return null;
  });
  step(50);
  step(19);
  expect(deadline.signal.aborted).toBe(false);
  step(1);
  expect(deadline.signal.reason).toEqual(new Error("later"));
});

test("a client that leaves ends the call", () => {
  const { client, start } = setUp();
  const { signal } = start(100);
  client.abort("left");
  expect(signal.reason).toBe("left");
  expect(start(100).signal.aborted).toBe(true);
});

test("what is cleared is never ended by time", () => {
  const { start, step, client } = setUp();
  const deadline = start(100);
  deadline.clear();
  step(1_000);
  client.abort();
  expect(deadline.signal.aborted).toBe(false);
});

test("what lingers is the client's no more, and has a limit of its own", () => {
  const { start, step, client } = setUp();
  const { told, ...connection } = held();
  const deadline = start(60_000, connection);
  step(20_000);
  deadline.linger(50, () => new Error("lingered"));
  client.abort();
  step(49);
  expect([deadline.signal.aborted, told]).toEqual([false, ["keep open", "release"]]);
  step(1);
  expect(deadline.signal.reason).toEqual(new Error("lingered"));
  expect(told).toEqual(["keep open", "release"]);
});

function held() {
  const told: string[] = [];
  return { told, keepOpen: () => void told.push("keep open"), release: () => void told.push("release") };
}

test("a call that lasts is held open, and let go of once when it ends", () => {
  const { start, step } = setUp();
  const connection = held();
  const deadline = start(60_000, connection);
  step(9_999);
  expect(connection.told).toEqual([]);
  step(1);
  step(20_000);
  expect(connection.told).toEqual(["keep open"]);
  deadline.clear();
  deadline.abort(new Error("again"));
  expect(connection.told).toEqual(["keep open", "release"]);
});

test("a call that is over soon is not held", () => {
  const { start, step } = setUp();
  const connection = held();
  start(60_000, connection).clear();
  step(30_000);
  expect(connection.told).toEqual([]);
});
