import { expect, test } from "bun:test";
import { toChat } from "./to-chat.ts";

const COUNT = 20_000;

type Make = (at: number, last: number) => object;
type Conversation = readonly [first: Make, second: Make];

const partsOf = (make: Make) => Array.from({ length: COUNT }, (_, at) => make(at, COUNT - 1 - at));

const read = ([first, second]: Conversation) => {
  const contents = [{ parts: [{ text: "a" }] }, { role: "model", parts: partsOf(first) }, { parts: partsOf(second) }];
  return () => toChat("m", { contents }, false).messages;
};

/** What the process works, in microseconds. */
const workOf = (run: () => unknown): number => {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

const TIMES_MAX = 3;
const ROUNDS_MAX = 6;

/** How many times the work of the other it takes: of each the least of some rounds, since collections and neighbours add to it. */
function timesOf(run: () => unknown, other: () => unknown): number {
  let [work, otherWork] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    otherWork = Math.min(otherWork, workOf(other));
    work = Math.min(work, workOf(run));
    if (round > 1 && work < otherWork * TIMES_MAX) break;
  }
  return work / otherWork;
}

const IN_ORDER: Conversation = [
  (at) => ({ functionCall: { id: `c${at}`, name: "f" } }),
  (at) => ({ functionResponse: { id: `c${at}`, name: "f" } }),
];
const WITHOUT_SEALS: Conversation = [(_, last) => ({ text: "a", thought: last > 0 }), () => ({ text: "c" })];

// A conversation is read before anybody looks at the credit of its caller. Where each part looked through all
// others, these took 3.5 to 8 times what their plain likes take; now it is 0.6 to 1.6 times.
test.each<[string, Conversation, Conversation]>([
  [
    "results in the other order than their calls",
    [IN_ORDER[0], (_, last) => ({ functionResponse: { id: `c${last}`, name: "f" } })],
    IN_ORDER,
  ],
  [
    "results that are known by their names",
    [(at) => ({ functionCall: { name: `f${at}` } }), (_, last) => ({ functionResponse: { name: `f${last}` } })],
    IN_ORDER,
  ],
  [
    "calls of one function whose results have ids and have none",
    [IN_ORDER[0], (at) => ({ functionResponse: { ...(at % 2 && { id: `c${at}` }), name: "f" } })],
    IN_ORDER,
  ],
  [
    "thoughts with seals",
    [(_, last) => ({ text: "a", ...(last && { thought: true, thoughtSignature: "R29v" }) }), WITHOUT_SEALS[1]],
    WITHOUT_SEALS,
  ],
])(
  "many parts are read one by one: %s",
  (_, conversation, plain) => {
    const readPlain = read(plain);
    const readThis = read(conversation);
    expect(readThis()).toHaveLength(readPlain().length);
    expect(timesOf(readThis, readPlain)).toBeLessThan(TIMES_MAX);
  },
  // It takes a second; how long it takes beside others is not what is tested.
  120_000,
);
