import { expect, test } from "bun:test";
import { PlanError, readPlan } from "../../src/training/coordinator/plan.ts";

const faults = (document: unknown): readonly string[] => {
  try {
    readPlan(document);
    return [];
  } catch (thrown) {
    if (thrown instanceof PlanError) return thrown.faults;
    throw thrown;
  }
};

test("a name that nothing has is a fault wherever it stands, and so is a text that is none", () => {
  const participants = ["a", "b", "c"].map((id) => ({ id, url: `http://${id}` }));
  const plan = { participants, initial: "x", max_examples: 5 };
  const [first, ...others] = plan.participants;
  expect(
    faults({
      ...plan,
      participants: [{ ...first, token: "secret" }, ...others],
      noise: { multiplyer: 5 },
      clip: 1,
      evaluation: { datset: "test" },
      compression: { top_k: 0.1, topk: 1 },
      name: 2026,
      initial: 5,
    }),
  ).toEqual(
    expect.arrayContaining([
      "unknown setting `participants[0].token`",
      "unknown setting `noise.multiplyer`; did you mean `multiplier`?",
      "unknown setting `evaluation.datset`; did you mean `dataset`?",
      "unknown setting `compression.topk`; did you mean `top_k`?",
      "name is not a text of 1 to 100 characters, in one line",
      "initial is not the name of a file",
    ]),
  );
  expect(faults({ ...plan, secure_aggregation: { treshold: 0.9 } })).toEqual([
    "unknown setting `secure_aggregation.treshold`; did you mean `threshold`?",
  ]);
});

test.each([
  ["http://10.0.0.5:5000", "http://10.0.0.5:5000/"],
  ["http://north.example.com", "http://North.example.com:80//"],
  ["https://north.example.com/a", "https://north.example.com/a/"],
])("%s and %s are one participant, which counts once", (one, other) => {
  const named = { participants: [{ id: "north", url: one }, { url: "http://b" }, { id: "south", url: other }] };
  expect(faults(named)).toEqual(["north and south have the same address, and would count twice"]);
  const apart = { participants: [{ url: "http://a" }, { url: "https://a" }, { url: "http://a/b" }] };
  expect(faults(apart)).toEqual([]);
});

test("what is null in a plan is left out, and a run may stop at an accuracy of zero or below", () => {
  const plan = { participants: [{ id: "a", url: "http://x" }] };
  const nothing = { noise: null, clip: null, compression: null, format: null, shape: null, secure_aggregation: null };
  expect(readPlan({ ...plan, ...nothing })).toEqual(readPlan(plan));
  for (const stopAt of [-0.25, 0, 0.97]) expect(readPlan({ ...plan, stop_at: stopAt }).stopAt).toBe(stopAt);
  expect(faults({ ...plan, stop_at: "high" })).toEqual(["stop_at is not a number"]);
});

test("a plan tells every fault at once", () => {
  expect(faults({ participants: [{ id: "a", url: "http://x" }] })).toEqual([]);
  expect(faults("x")).toContain("the plan is not a set of fields");
  const many = faults({
    participants: [
      { id: "a", url: "x" },
      { id: "a", url: "http://x" },
    ],
    rounds: 0,
    quorum: 3,
    strategy: { name: "krum", f: 1 },
    noise: { multiplier: -1 },
  });
  for (const words of [
    "url is not an address",
    "a stands twice",
    "rounds is not",
    "quorum of 3 cannot",
    "Krum against 1 needs 5",
    "noise.multiplier",
    "without a clip",
    "noise goes with fedavg",
    "initial",
  ]) {
    expect(many.join("\n")).toContain(words);
  }
  expect(faults({ participants: [{ id: "../x", url: "http://x" }], strategy: "best" }).join()).toContain(
    "there is no strategy best",
  );
});

test("a misspelt setting is answered with the setting that it is near to, also in a strategy", () => {
  const plan = { participants: [{ id: "a", url: "http://a", urll: "x" }], round: 5 };
  expect(faults({ ...plan, strategy: { name: "fedadam", learningrate: 0.1 } })).toEqual([
    "unknown setting `round`; did you mean `rounds`?",
    "unknown setting `participants[0].urll`; did you mean `url`?",
    "unknown setting `strategy.learningrate`; did you mean `learning_rate`?",
  ]);
});
