import { describe, expect, test } from "bun:test";
import { EndpointRests } from "./endpoint-rests.ts";

const SLOW_MS = 15_000;

function setUp() {
  let nowMs = 0;
  const rests = new EndpointRests(() => nowMs);
  const outcome = (work: Promise<unknown>) => work.then(String, (thrown: Error) => thrown.message);
  const after = (ms: number, end: () => Promise<unknown>) => async () => {
    nowMs += ms;
    return end();
  };
  const hangs = after(SLOW_MS, () => Promise.reject(new Error("no answer")));
  const refuses = after(10, () => Promise.reject(new Error("refused")));
  const answers = after(10, async () => "answered");
  const send = (post: () => Promise<unknown>, endpoint = "a") => outcome(rests.through(endpoint, post));
  return { rests, outcome, send, hangs, refuses, answers, pass: (ms: number) => (nowMs += ms) };
}

describe("an endpoint that hangs", () => {
  test("is left alone for half a minute, and longer each time, others are not", async () => {
    const { send, hangs, answers, pass } = setUp();
    for (const restMs of [30_000, 60_000, 120_000]) {
      expect(await send(hangs)).toBe("no answer");
      pass(restMs - 20);
      expect(await send(answers)).toContain("left alone");
      expect(await send(answers, "b")).toBe("answered");
      pass(20);
    }
    expect(await send(answers)).toBe("answered");
    expect(await send(answers)).toBe("answered");
  });

  test("is tried by one delivery at a time once it has rested", async () => {
    const { send, hangs, answers, pass } = setUp();
    await send(hangs);
    pass(30_000);
    const release = Promise.withResolvers<string>();
    const first = send(() => release.promise);
    expect(await send(answers)).toContain("left alone");
    release.resolve("well again");
    expect(await first).toBe("well again");
    expect(await send(answers)).toBe("answered");
  });

  test("is another one than that which refuses at once", async () => {
    const { send, refuses, answers } = setUp();
    expect(await send(refuses)).toBe("refused");
    expect(await send(answers)).toBe("answered");
  });
});
