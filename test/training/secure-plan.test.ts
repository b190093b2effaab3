import { describe, expect, test } from "bun:test";
import { PlanError, readPlan } from "../../src/training/coordinator/plan.ts";
import { thresholdOf } from "../../src/training/secure/secure-plan.ts";

const participants = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `p${String(at).padStart(4, "0")}`,
    url: `http://127.0.0.1:1/${at}`,
  }));
const whole = {
  participants: participants(10),
  max_examples: 500,
  initial: "start.safetensors",
  secure_aggregation: { threshold: 0.67, clip: 4 },
};

function faultsOf(change: object): readonly string[] {
  try {
    readPlan({ ...whole, ...change });
    return [];
  } catch (thrown) {
    if (thrown instanceof PlanError) return thrown.faults;
    throw thrown;
  }
}

test("a plan says how many have to stay, and a quorum of that many is enough", () => {
  const plan = readPlan(whole);
  expect(plan.secure).toEqual({ threshold: 7, clip: 4, maxWeight: 500, deadlineMs: 60_000 });
  expect(plan.quorum).toBe(7);
  expect(readPlan({ ...whole, secure_aggregation: {} }).secure).toMatchObject({ threshold: 7, clip: 8 });
  expect(readPlan({ ...whole, sample: 5, deadline_seconds: 20 }).secure).toMatchObject({
    threshold: 3,
    deadlineMs: 20_000,
  });
  expect(readPlan({ ...whole, secure_aggregation: undefined }).secure).toBeUndefined();
  expect(
    faultsOf({ strategy: { name: "fedadam", learning_rate: 0.1 }, compression: "none", mode: "synchronous" }),
  ).toEqual([]);
});

test("the threshold is three at least and more than half, and leaves room for a third where there are four or more", () => {
  for (let sample = 3; sample <= 100; sample++) {
    const usual = thresholdOf({}, sample) as number;
    expect(usual).toBeGreaterThanOrEqual(3);
    expect(usual).toBeGreaterThan(sample / 2);
    expect(sample - usual).toBeGreaterThanOrEqual(sample === 3 ? 0 : Math.floor(sample / 3));
    expect(thresholdOf({ threshold: 0.01 }, sample)).toBe(Math.max(3, Math.floor(sample / 2) + 1));
    expect(thresholdOf({ threshold: 1 }, sample)).toBe(sample);
  }
});

describe("what cannot go with secure aggregation is refused with the reason", () => {
  test.each([
    [
      { strategy: "median" },
      "median compares updates with each other; with secure_aggregation the coordinator sees only the sum",
    ],
    [{ strategy: { name: "trimmed_mean", f: 1 } }, "trimmed_mean compares"],
    [{ strategy: { name: "krum", f: 1 } }, "krum compares"],
    [{ strategy: { name: "multi_krum", f: 1 } }, "multi_krum compares"],
    [{ strategy: "fedbuff" }, "sums the updates of one round"],
    [{ mode: "asynchronous" }, "sums the updates of one round"],
    [{ late: "fold" }, "a late update cannot be folded in"],
    [{ clip: 5 }, "clip measures the length of an update"],
    [{ clip: 5, noise: { multiplier: 1 } }, "noise goes with a clip that is checked"],
    [{ compression: "int8" }, "masked numbers are random, and nothing packs them"],
    [{ compression: { top_k: 0.1 } }, "nothing packs them"],
    [{ format: "f32le", shape: [3] }, "safetensors, npy or npz, not bare floats"],
    [{ initial: undefined }, "needs a model to begin with"],
    [{ max_examples: undefined }, "needs max_examples"],
    [{ max_examples: 4_194_304 }, "a whole number from 1 to 4194303"],
    [{ max_examples: 1.5 }, "needs max_examples"],
    [{ participants: participants(2) }, "needs 3 participants or more"],
    [{ participants: participants(1025) }, "at most 1024 updates"],
    [{ participants: participants(1025), sample: 2 }, "needs 3 participants or more"],
    [{ quorum: 6 }, "a quorum of 6 is below the threshold of secure_aggregation, which is 7 of 10"],
    [{ secure_aggregation: true }, "secure_aggregation is not a set of fields"],
    [
      { secure_aggregation: { threshold: 1.5 } },
      "secure_aggregation.threshold is not a number above zero and at most 1",
    ],
    [{ secure_aggregation: { clip: -1 } }, "secure_aggregation.clip is not a number above zero"],
    [{ secure_aggregation: { deadline_seconds: 0 } }, "secure_aggregation.deadline_seconds is not"],
  ])("%j", (change, words) => {
    expect(faultsOf(change).join("; ")).toContain(words);
  });
});
