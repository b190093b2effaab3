import { expect, test } from "bun:test";
import { isGood, judge, ratioOf, type SmokeRecord, sentenceOf } from "../../bench/judge-smoke.ts";

const RECORDED: SmokeRecord = { chat: { ratio: 2, low: 1.9, high: 2.1 } };
/** Rounds in which the floor took 10 µs, and the gateway so many times that. */
const rounds = (...ratios: number[]) => ratios.map((ratio) => ({ floor: 10, own: 10 * ratio }));
const only = (ratios: readonly number[]) => {
  const [first, ...more] = judge(RECORDED, { chat: rounds(...ratios) }, ["chat"]);
  expect(more).toEqual([]);
  if (!first) throw new Error("nothing was judged");
  return first;
};

test("a ratio of a quarter over the recorded one is allowed, more is not", () => {
  expect(only([2.5]).verdict).toBe("within");
  expect(only([2.51]).verdict).toBe("over");
  expect(isGood(only([2.51]))).toBe(false);
  expect(sentenceOf(only([2.51]))).toContain("TOO MUCH; recorded 2.00x, allowed 2.50x");
});

test("rounds in trouble do not count, on whichever side; a quarter that is not is enough", () => {
  expect(only([9, 2, 9, 2.1, 9]).verdict).toBe("within");
  expect(only([9, 2.6, 9, 2.7, 9]).verdict).toBe("over");
  const [quick, slow] = [
    { floor: 10, own: 30 },
    { floor: 40, own: 30 },
  ];
  expect(ratioOf([quick, slow, quick, slow, quick])).toEqual({ ratio: 3, low: 0.75, high: 3 });
});

test("what has become clearly better is said, with the advice to record it", () => {
  expect(only([1.95]).verdict).toBe("within");
  const better = only([1.5, 1.6, 1.4]);
  expect(better.verdict).toBe("better");
  expect(isGood(better)).toBe(true);
  expect(sentenceOf(better)).toContain("--record");
});

test("a workload without a recorded ratio, or one that was not measured, is no success", () => {
  const [stream, chat] = judge(RECORDED, { stream: rounds(1) }, ["stream", "chat"]);
  expect(stream?.verdict).toBe("unrecorded");
  expect(chat?.verdict).toBe("unmeasured");
  expect([stream, chat].some((each) => each !== undefined && isGood(each))).toBe(false);
});
