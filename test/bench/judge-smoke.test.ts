import { expect, test } from "bun:test";
import { isGood, judge, type SmokeRecord, sentenceOf } from "../../bench/judge-smoke.ts";

const RECORDED: SmokeRecord = { chat: { median: 2, low: 1.9, high: 2.1 } };
const only = (ratios: readonly number[]) => {
  const [first, ...more] = judge(RECORDED, { chat: ratios });
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

test("one round in trouble does not count, most of them do", () => {
  expect(only([2, 9, 2.1]).verdict).toBe("within");
  expect(only([2, 9, 9]).verdict).toBe("over");
});

test("what has become clearly better is said, with the advice to record it", () => {
  expect(only([1.95]).verdict).toBe("within");
  const better = only([1.5, 1.6, 1.4]);
  expect(better.verdict).toBe("better");
  expect(isGood(better)).toBe(true);
  expect(sentenceOf(better)).toContain("--record");
});

test("a workload without a recorded ratio, or one that was not measured, is no success", () => {
  const [stream, chat] = judge(RECORDED, { stream: [1] });
  expect(stream?.verdict).toBe("unrecorded");
  expect(chat?.verdict).toBe("unmeasured");
  expect([stream, chat].some((each) => each !== undefined && isGood(each))).toBe(false);
});
