import { expect, test } from "bun:test";
import { type Frame, Link } from "./link.ts";

/** Two ends; what crosses is noted, message by message. */
function pair() {
  const messages: (readonly Frame[])[] = [];
  const clock = { now: 0 };
  const due: (() => void)[] = [];
  const options = {
    nowMs: () => clock.now,
    timers: { after: (_: number, work: () => void) => cancelOf(due.push(work)) },
  };
  const carry = (to: () => Link) => (frames: readonly Frame[]) => {
    messages.push(frames);
    to().receive(JSON.parse(JSON.stringify(frames)) as Frame[]);
  };
  const here: Link = new Link({ ...options, send: carry(() => there) });
  const there: Link = new Link({ ...options, send: carry(() => here) });
  const pass = (ms: number): void => {
    clock.now += ms;
    for (const work of due.splice(0)) work();
  };
  return { here, there, messages, pass };
}

const cancelOf = (_: number) => () => undefined;

/** What a promise is rejected with. */
const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "none",
    (thrown: Error) => thrown.message,
  );

test("both ends call each other, and what is said in one tick is one message", async () => {
  const { here, there, messages } = pair();
  there.on("double", (n: number) => n * 2);
  there.on("later", async (n: number) => n + 1);
  here.on("name", () => "here");
  expect(await Promise.all([here.call("double", [4]), here.call("later", [4]), there.call("name", [])])).toEqual([
    8,
    5,
    "here",
  ]);
  expect(messages.map((frames) => frames.length)[0]).toBe(2);
});

test("a failure of the other end, and a name that it does not know, are the caller's", async () => {
  const { here, there } = pair();
  there.on("fail", () => {
    throw new Error("no");
  });
  there.on("fail later", () => Promise.reject(new Error("not either")));
  expect(await failureOf(here.call("fail", []))).toBe("no");
  expect(await failureOf(here.call("fail later", []))).toBe("not either");
  expect(await failureOf(here.call("unheard", []))).toContain("unheard");
});

test("who is not answered in time is told so, and a late answer harms nobody", async () => {
  const { here, there, pass } = pair();
  const answer = Promise.withResolvers<number>();
  there.on("slow", () => answer.promise);
  const [patient, hurried] = [here.call("slow", []), failureOf(here.call("slow", [], 1_000))];
  await Bun.sleep(0);
  pass(999);
  pass(1);
  expect(await hurried).toContain("in time");
  answer.resolve(7);
  expect(await patient).toBe(7);
});

test("when the link is closed, those who wait and those who come are told", async () => {
  const { here, there } = pair();
  there.on("never", () => new Promise(() => undefined));
  const waiting = failureOf(here.call("never", []));
  here.close("gone");
  expect(await waiting).toBe("gone");
  expect(await failureOf(here.call("never", []))).toBe("gone");
});
