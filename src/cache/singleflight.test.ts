import { describe, expect, test } from "bun:test";
import type { Timers } from "../lib/timers.ts";
import { type Leader, type Outcome, Singleflight } from "./singleflight.ts";

const forever = new AbortController().signal;
const never: Timers = { after: () => () => undefined };
const newFlights = (timers = never) => new Singleflight<string>(timers, 1_000);

function lead(joined: Leader<string> | Promise<Outcome<string>>): Leader<string> {
  if (joined instanceof Promise) throw new Error("follows");
  return joined;
}
const follow = (joined: Leader<string> | Promise<Outcome<string>>): Promise<Outcome<string>> => {
  if (joined instanceof Promise) return joined;
  throw new Error("leads");
};
const handed = async (joined: Promise<Outcome<string>>): Promise<Leader<string>> => {
  const outcome = await joined;
  if (!outcome || !("lead" in outcome)) throw new Error("was not handed the lead");
  return outcome.lead;
};

describe("calls that ask the same at the same time", () => {
  test("get the answer of the first, and the next to come asks anew", async () => {
    const flights = newFlights();
    const first = lead(flights.join("a", forever));
    const others = [follow(flights.join("a", forever)), follow(flights.join("a", forever))];
    lead(flights.join("b", forever)).land("b");
    expect(flights.waiting).toBe(2);
    first.land("answer");
    expect(await Promise.all(others)).toEqual([{ answer: "answer" }, { answer: "answer" }]);
    expect(flights.waiting).toBe(0);
    expect(flights.size).toBe(0);
    lead(flights.join("a", forever)).fail();
    expect(flights.size).toBe(0);
  });

  test("lead one after the other when the first one leaves", async () => {
    const flights = newFlights();
    const first = lead(flights.join("a", forever));
    const [second, third] = [follow(flights.join("a", forever)), follow(flights.join("a", forever))];
    first.leave();
    const next = await handed(second);
    first.land("too late");
    next.land("answer");
    expect(await third).toEqual({ answer: "answer" });
    expect(flights.size).toBe(0);
  });

  test("do not wait for a third failure, and ask for themselves", async () => {
    const flights = newFlights();
    const first = lead(flights.join("a", forever));
    const others = Array.from({ length: 3 }, () => follow(flights.join("a", forever)));
    first.fail();
    (await handed(others[0] as Promise<Outcome<string>>)).fail();
    expect(await Promise.all(others.slice(1))).toEqual([null, null]);
    expect(flights.size).toBe(0);
  });

  test("ask for themselves what cannot be shared", async () => {
    const flights = newFlights();
    const first = lead(flights.join("a", forever));
    const other = follow(flights.join("a", forever));
    first.release();
    expect(await other).toBeNull();
  });

  test("are not handed the lead once they have left", async () => {
    const flights = newFlights();
    const first = lead(flights.join("a", forever));
    const leaving = new AbortController();
    const [left, stayed] = [follow(flights.join("a", leaving.signal)), follow(flights.join("a", forever))];
    leaving.abort();
    expect(await left).toBeNull();
    expect(await flights.join("a", AbortSignal.abort())).toBeNull();
    first.leave();
    (await handed(stayed)).land("answer");
    expect(flights.size).toBe(0);
  });

  test("wait only so long, and whoever comes after that begins anew", async () => {
    let timeIsUp: () => void = () => undefined;
    const flights = newFlights({
      after(ms, work) {
        expect(ms).toBe(1_000);
        timeIsUp = work;
        return () => undefined;
      },
    });
    const first = lead(flights.join("a", forever));
    const other = follow(flights.join("a", forever));
    timeIsUp();
    expect(await other).toBeNull();
    const second = lead(flights.join("a", forever));
    first.land("late");
    expect(flights.size).toBe(1);
    const follower = follow(flights.join("a", forever));
    second.land("answer");
    expect(await follower).toEqual({ answer: "answer" });
    expect(flights.size).toBe(0);
  });
});
