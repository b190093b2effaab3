import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RoundRecord, RunFolder } from "../../src/training/coordinator/run-folder.ts";
import { modelOf, type Small, startSmall, valuesOf } from "./small-participants.ts";
import { trainingRuns } from "./start-run.ts";

const runs = trainingRuns();
const started: Small[] = [];
afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()));
  runs.clean();
});

const ZERO = modelOf([0, 0, 0]);
const QUIET = { evaluation: { every: 1000, participants: 1 } };

/** A participant that answers when it is let: each answer adds its own step to every number. */
async function startGated(id: string, step: number) {
  const waiting: Array<() => void> = [];
  let open = 0;
  const one = await startSmall(id, 0, async (parameters) => {
    if (open > 0) open--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return { parameters: modelOf(valuesOf(parameters ?? ZERO).map((value) => value + step)), numExamples: 1 };
  });
  started.push(one);
  const answer = () => {
    const next = waiting.shift();
    if (next === undefined) open++;
    else next();
  };
  return { ...one, answer, answerAll: () => Array.from({ length: 1000 }, answer) };
}

/** The number of the newest arrival, counted or not. */
function lastArrival(folder: RunFolder): number {
  const files = readdirSync(join(folder.path, "arrivals")).filter((name) => name.endsWith(".json"));
  const counted = folder.rounds().flatMap(({ replies }) => replies.map(({ arrival = -1 }) => arrival));
  return Math.max(-1, ...files.map((name) => Number.parseInt(name, 10)), ...counted);
}

const ages = (rounds: readonly RoundRecord[]) =>
  rounds.map(({ replies }) => replies.map(({ participant, staleness = 0 }) => `${participant} ${staleness}`));

describe("asynchronous rounds", () => {
  test("a slow participant does not hold the others up, and counts by the root of its age when it comes", async () => {
    const [quick, slow] = [await startGated("quick", 1), await startGated("slow", 10)];
    quick.answer();
    quick.answer();
    quick.answer();
    const { outcome } = runs.begin(
      [quick, slow],
      { rounds: 4, mode: "asynchronous", buffer: 1, ...QUIET },
      {
        initial: ZERO,
        tell: ({ round }) => {
          if (round === 3) slow.answer();
        },
      },
    );
    const { rounds, model, paused } = await outcome;
    expect(paused).toBeNull();
    expect(ages(rounds)).toEqual([["quick 0"], ["quick 0"], ["quick 0"], ["slow 3"]]);
    // Alone in its buffer a weight does not show; what it changed is carried over to the newest model.
    expect(valuesOf(model ?? ZERO)).toEqual([13, 13, 13]);
    slow.answerAll();
    quick.answerAll();
  });

  test("weights are 1/sqrt(1 + age), divided by their sum", async () => {
    const [quick, slow] = [await startGated("quick", 1), await startGated("slow", 10)];
    quick.answer();
    quick.answer();
    const { outcome } = runs.begin(
      [quick, slow],
      { rounds: 2, mode: "asynchronous", buffer: 2, sample: 2, ...QUIET },
      {
        initial: ZERO,
        tell: ({ round }) => {
          if (round > 1) return;
          slow.answer();
          quick.answer();
        },
      },
    );
    const { rounds, model } = await outcome;
    expect(ages(rounds)).toEqual([
      ["quick 0", "quick 0"],
      ["quick 0", "slow 1"],
    ]);
    const old = 1 / Math.sqrt(2);
    expect(valuesOf(model ?? ZERO)[0]).toBeCloseTo(1 + (1 + 10 * old) / (1 + old), 5);
    slow.answerAll();
    quick.answerAll();
  });

  test("an update that is too old is left out with the reason", async () => {
    const [quick, slow] = [await startGated("quick", 1), await startGated("slow", 10)];
    for (let time = 0; time < 3; time++) quick.answer();
    const more = { rounds: 4, mode: "asynchronous", buffer: 1, staleness_limit: 1, ...QUIET };
    const { outcome } = runs.begin([quick, slow], more, {
      initial: ZERO,
      tell: ({ round }) => {
        if (round === 3) slow.answer();
        if (round === 3) slow.answer();
      },
    });
    const { rounds } = await outcome;
    expect(rounds[3]?.dropped).toEqual([{ participant: "slow", reason: "it began 3 models ago" }]);
    expect(ages(rounds)[3]).toEqual(["slow 0"]);
    slow.answerAll();
    quick.answerAll();
  });

  test("the same order of arrival gives the same bytes", async () => {
    const order = ["a", "b", "a", "c", "b", "b", "c", "a", "c", "a", "b", "c"];
    const once = async () => {
      const group = await Promise.all(["a", "b", "c"].map((id, at) => startGated(id, at + 1)));
      const { folder, outcome } = runs.begin(
        group,
        { rounds: 6, mode: "asynchronous", buffer: 2, ...QUIET },
        { initial: ZERO },
      );
      for (const [at, id] of order.entries()) {
        group.find((one) => one.id === id)?.answer();
        while (lastArrival(folder) < at) await Bun.sleep(2);
      }
      const { rounds } = await outcome;
      for (const one of group) one.answerAll();
      return rounds.map(({ modelOut }) => modelOut);
    };
    expect(await once()).toEqual(await once());
  });

  test("pauses where nobody answers, and goes on with what had arrived", async () => {
    const one = await startGated("one", 1);
    one.answer();
    let broken = true;
    const other = await startSmall("other", 0, (parameters) => {
      if (broken) throw new Error("not today");
      return modelOf(valuesOf(parameters ?? ZERO).map((value) => value + 5));
    });
    started.push(other);
    const more = { rounds: 1, mode: "asynchronous", buffer: 2, deadline_seconds: 1, ...QUIET };
    const { folder, outcome } = runs.begin([one, other], more, { initial: ZERO });
    const first = await outcome;
    expect(first.paused).toContain("round 1 did not get its 2 updates");
    expect(first.paused).toContain("other: it answered 500");
    broken = false;
    const second = await runs.begin([one, other], more, { path: folder.path, initial: ZERO }).outcome;
    expect(second.paused).toBeNull();
    expect(second.rounds[0]?.replies.map(({ participant }) => participant)).toEqual(["one", "other"]);
    one.answerAll();
  });

  test("a folder that cannot be written ends it with the reason, and nobody is asked for ever", async () => {
    const [one, other] = [await startGated("one", 1), await startGated("other", 2)];
    one.answerAll();
    other.answerAll();
    const begun = runs.begin(
      [one, other],
      { rounds: 1000, mode: "asynchronous", buffer: 1, ...QUIET },
      {
        initial: ZERO,
        tell: ({ round }) => {
          // What is asked can be written down no more.
          if (round !== 2) return;
          rmSync(join(begun.folder.path, "asks"), { recursive: true });
          writeFileSync(join(begun.folder.path, "asks"), "");
        },
      },
    );
    await expect(begun.outcome).rejects.toThrow(/asks/);
    expect(begun.folder.rounds().length).toBeLessThan(1000);
  });

  test("a plan that cannot be run so says why", () => {
    const participants = [{ id: "a", url: "http://x" }];
    const faults = (more: Record<string, unknown>) => {
      try {
        runs.begin(participants, more);
        return "";
      } catch (thrown) {
        return String(thrown);
      }
    };
    expect(faults({ mode: "asynchronous" })).toContain("need a model to begin with");
    expect(faults({ mode: "asynchronous", initial: "x", strategy: "median" })).toContain("fedbuff only");
    expect(faults({ mode: "sometimes" })).toContain("mode is neither synchronous nor asynchronous");
    expect(faults({ late: "maybe" })).toContain("late is neither drop nor fold");
    expect(faults({ compression: "zip" })).toContain("compression is none of");
    expect(faults({ compression: { top_k: 2 } })).toContain("compression is none of");
    expect(faults({ format: "npy" })).toContain("format is f32le");
    expect(faults({ shape: [0] })).toContain("shape is not a list");
    expect(faults({ mode: "asynchronous", initial: "x", buffer: 0 })).toContain("buffer is not a whole number");
  });
});

describe("late updates of rounds", () => {
  const late = async (how: string) => {
    const [quick, slow] = [await startGated("quick", 1), await startGated("slow", 10)];
    quick.answer();
    // The second round ends after the late answer of the first one has come.
    const more = { rounds: 2, quorum: 1, retries: 20, late: how, deadline_seconds: 1, ...QUIET };
    const { folder, outcome } = runs.begin([quick, slow], more, {
      initial: ZERO,
      tell: async ({ round }) => {
        if (round !== 1) return;
        slow.answer();
        while (how === "fold" && folder.lateReplies(2).length === 0) await Bun.sleep(5);
        quick.answer();
      },
    });
    const { rounds, model } = await outcome;
    slow.answerAll();
    return { rounds, model: valuesOf(model ?? ZERO)[0] ?? 0 };
  };

  test("are dropped where the plan says nothing else", async () => {
    const { rounds } = await late("drop");
    expect(rounds[0]?.dropped).toEqual([{ participant: "slow", reason: "the deadline passed" }]);
    expect(
      ages(rounds)
        .flat()
        .filter((age) => age === "slow 1"),
    ).toEqual([]);
  });

  test("are folded in with their weight where it says so", async () => {
    const { rounds, model } = await late("fold");
    expect(ages(rounds)).toEqual([["quick 0"], ["quick 0", "slow 1"]]);
    const old = 1 / Math.sqrt(2);
    expect(rounds[1]?.replies.map(({ numExamples }) => numExamples)).toEqual([1, old]);
    expect(model).toBeCloseTo(1 + (1 + 10 * old) / (1 + old), 5);
  });

  test("count once for each participant where a rule bears only so many liars", async () => {
    const liar = await startGated("liar", 1000);
    const honest = await Promise.all(["a", "b"].map((id, at) => startGated(id, at + 1)));
    for (const one of honest) one.answerAll();
    // Between the first round and the second the late answer comes, so that the liar is asked for a second one.
    const evaluator = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: async ({ url }) => {
        if (!url.endsWith("/evaluate")) return new Response(modelOf([3, 3, 3]));
        liar.answerAll();
        while (begun.folder.lateReplies(2).length === 0) await Bun.sleep(5);
        return Response.json({ accuracy: 0.5 });
      },
    });
    const first = { id: "0", url: `http://127.0.0.1:${evaluator.port}` };
    const more = { rounds: 2, quorum: 3, late: "fold", strategy: "median", deadline_seconds: 3, retries: 20 };
    const begun = runs.begin(
      [first, liar, ...honest],
      { ...more, evaluation: { every: 1, participants: 1 } },
      { initial: ZERO },
    );
    const { rounds } = await begun.outcome;
    await evaluator.stop(true);
    expect(ages(rounds)).toEqual([
      ["0 0", "a 0", "b 0"],
      ["0 0", "a 0", "b 0", "liar 0"],
    ]);
    expect(rounds[1]?.dropped).toEqual([{ participant: "liar", reason: "it has given a newer answer" }]);
  });

  test("that could not count any more are given up, and whoever hung is asked anew", async () => {
    let calls = 0;
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      // It never answers what it is asked first, as a machine that has lost its network.
      fetch: () => (calls++ === 0 ? new Promise<never>(() => undefined) : new Response(modelOf([4, 4, 4]))),
    });
    const [quick, hanging] = [await startGated("quick", 1), { id: "hung", url: `http://127.0.0.1:${server.port}` }];
    quick.answerAll();
    const more = { rounds: 3, quorum: 1, late: "fold", staleness_limit: 1, deadline_seconds: 2, ...QUIET };
    const { rounds } = await runs.begin([quick, hanging], more, { initial: ZERO }).outcome;
    await server.stop(true);
    expect(ages(rounds)).toEqual([["quick 0"], ["quick 0"], ["hung 0", "quick 0"]]);
  });
});
