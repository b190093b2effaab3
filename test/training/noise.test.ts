import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ParticipantError } from "../../sdk/typescript/src/index.ts";
import { type PlanError, readPlan } from "../../src/training/coordinator/plan.ts";
import { modelOf, type Small, startSmall, valuesOf } from "./small-participants.ts";
import { trainingRuns } from "./start-run.ts";

const runs = trainingRuns();
const started: Small[] = [];
afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()));
  runs.clean();
});

const ZERO = modelOf([0, 0, 0]);
const NOISY = { clip: 1, noise: { multiplier: 1 }, evaluation: { every: 1000, participants: 1 } };

/** Participants that change nothing: what the model has moved by is the noise. */
const idle = async (count: number, work: (id: string) => void = () => undefined): Promise<Small[]> => {
  const group = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      startSmall(`p${at}`, at, (parameters) => {
        work(`p${at}`);
        return { parameters: parameters ?? ZERO, numExamples: 1 };
      }),
    ),
  );
  started.push(...group);
  return group;
};

test("what is in a plan, and what participants are told, does not tell the noise", async () => {
  const group = await idle(3);
  const noise = async () => {
    const { model } = await runs.begin(group, { ...NOISY, seed: 7, rounds: 1 }, { initial: ZERO }).outcome;
    return valuesOf(model ?? ZERO);
  };
  const [first, second] = [await noise(), await noise()];
  expect(first).not.toContain(0);
  expect(second).not.toEqual(first);
});

test("a noisy run that is taken up again comes to the same bytes, and with other updates to other noise", async () => {
  const group = await idle(3);
  const plan = { ...NOISY, rounds: 2, quorum: 2 };
  const { folder, outcome } = runs.begin(group, plan, { initial: ZERO });
  const { rounds } = await outcome;
  const log = join(folder.path, "rounds.jsonl");
  const forgetLast = () => writeFileSync(log, `${readFileSync(log, "utf8").split("\n")[0]}\n`);
  forgetLast();
  const again = await runs.begin(group, plan, { initial: ZERO, path: folder.path }).outcome;
  expect(again.rounds[1]?.modelOut).toBe(rounds[1]?.modelOut ?? "");
  // The same noise on two sums would give away their difference.
  forgetLast();
  await started.find((one) => one === group[2])?.stop();
  const { rounds: fewer } = await runs.begin(group, plan, { initial: ZERO, path: folder.path }).outcome;
  const moved = (hash: string) => valuesOf(folder.loadModel(hash)).map((value, at) => value - (before[at] ?? 0));
  const before = valuesOf(folder.loadModel(rounds[0]?.modelOut ?? ""));
  const [ofThree, ofTwo] = [moved(rounds[1]?.modelOut ?? ""), moved(fewer[1]?.modelOut ?? "")];
  expect(fewer[1]?.replies).toHaveLength(2);
  const isSame = ofTwo.every((value, at) => Math.abs(value / (ofThree[at] ?? 1) - 3 / 2) < 1e-4);
  expect(isSame).toBe(false);
});

test("who is asked in the place of those who fail is counted in the epsilon", async () => {
  const plan = { ...NOISY, rounds: 1, sample: 2, retries: 20 };
  const epsilon = async (group: Small[]) => {
    const { rounds, paused } = await runs.begin(group, plan, { initial: ZERO }).outcome;
    expect(paused).toBeNull();
    return rounds[0]?.epsilon ?? 0;
  };
  const planned = await epsilon(await idle(4));
  let broken: string | null = null;
  const group = await idle(4, (id) => {
    broken ??= id;
    if (broken === id) throw new ParticipantError("not today", 400);
  });
  expect(await epsilon(group)).toBeGreaterThan(planned);
});

test("noise that cannot be counted with, or promises nothing, is a fault of the plan", () => {
  const plan = { participants: [{ url: "http://x" }], initial: "x", clip: 1 };
  const faults = (more: Record<string, unknown>): readonly string[] => {
    try {
      readPlan({ ...plan, ...more });
      return [];
    } catch (thrown) {
      return (thrown as PlanError).faults;
    }
  };
  expect(faults({ noise: { multiplier: 1000, delta: 0.5 } })).toEqual([]);
  for (const delta of [0, 1, 2]) {
    expect(faults({ noise: { delta } })).toEqual(["noise.delta is not a number between zero and one"]);
  }
  for (const multiplier of [0, 1e-4, 1001]) {
    expect(faults({ noise: { multiplier } })).toEqual(["noise.multiplier is not a number from 0.001 to 1000"]);
  }
  expect(faults({ noise: { multiplier: 1000 }, clip: 1e30 })).toEqual([
    "noise: with a clip of 1e+30 it is more than can be counted with; the clip may be 1e+15 at most",
  ]);
});
