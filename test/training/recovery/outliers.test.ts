import { afterAll, expect, test } from "bun:test";
import { modelOf, type Small, startSmall, valuesOf } from "../small-participants.ts";
import { trainingRuns } from "../start-run.ts";

const runs = trainingRuns();
const started: Small[] = [];
afterAll(async () => {
  runs.clean();
  await Promise.all(started.map((one) => one.stop()));
});

/** Four honest participants and one that tries to own the model. */
async function groupWith(liar: Parameters<typeof startSmall>[2]): Promise<Small[]> {
  const honest = await Promise.all([0, 1, 2, 3].map((at) => startSmall(`p${at}`, at)));
  const group = [...honest, await startSmall("liar", 4, liar)];
  started.push(...group);
  return group;
}

const initial = modelOf([0, 0, 0]);
const tooFar = () => ({ parameters: modelOf([1e30, 1, 1]), numExamples: 2 });
const tooMany = () => ({ parameters: modelOf([9, 9, 9]), numExamples: 9e15 });

test.each([
  [
    "an update that is 1e30 times too large",
    tooFar,
    /^its change has the length 1\.00e\+30, more than 100 times the median of the others \(\d/,
  ],
  [
    "9e15 examples",
    tooMany,
    /^it reports 9000000000000000 examples, more than 100 times the median of the others \(\d\)$/,
  ],
])("%s is left out by default, and the round log says so", async (_, liar, reason) => {
  const group = await groupWith(liar);
  const { outcome, folder } = runs.begin(group, { rounds: 2, quorum: 4 }, { initial });
  const { rounds, model, paused } = await outcome;
  expect(paused).toBeNull();
  for (const { replies, dropped, warning } of rounds) {
    expect(replies.map(({ participant }) => participant)).toEqual(["p0", "p1", "p2", "p3"]);
    expect(dropped).toEqual([{ participant: "liar", reason: expect.stringMatching(reason) }]);
    expect(warning).toBe(`left out liar: ${dropped[0]?.reason}`);
  }
  expect(folder.rounds()).toEqual([...rounds]);
  // They have the same bytes as without it.
  const honest = runs.begin(group.slice(0, 4), { rounds: 2 }, { initial });
  expect(valuesOf((await honest.outcome).model ?? new Uint8Array())).toEqual(valuesOf(model ?? new Uint8Array()));
});

test.each([
  ["a plan that turns the check off", { outlier_factor: "off" }, tooMany],
  ["a plan with a larger factor", { outlier_factor: 1e300 }, tooMany],
  ["a plan that limits the examples", { max_examples: 5 }, tooMany],
  ["a plan that clips changes", { clip: 1 }, tooFar],
  ["a robust strategy", { strategy: "median" }, tooFar],
])("%s counts it", async (_, more, liar) => {
  const group = await groupWith(liar);
  const { rounds } = await runs.begin(group, { rounds: 1, ...more }, { initial }).outcome;
  expect(rounds[0]?.replies.map(({ participant }) => participant)).toEqual(["liar", "p0", "p1", "p2", "p3"]);
  expect(rounds[0]?.warning ?? "").not.toContain("left out");
});

test("neither of two updates is left out: they do not show which one is wrong", async () => {
  const group = (await groupWith(tooFar)).slice(3);
  const { rounds } = await runs.begin(group, { rounds: 1 }, { initial }).outcome;
  expect(rounds[0]?.replies).toHaveLength(2);
});

test("an evaluation that reports too many examples does not decide the accuracy", async () => {
  const servers = [0.1, 0.2, 0.3, 1].map((accuracy, at) =>
    Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) =>
        url.endsWith("/evaluate")
          ? Response.json({ accuracy, num_examples: at === 3 ? 1e300 : 10 })
          : new Response(modelOf([1, 2, 3])),
    }),
  );
  const group = servers.map(({ port }, at) => ({ id: `s${at}`, url: `http://127.0.0.1:${port}` }));
  const { rounds } = await runs.begin(group, { rounds: 1 }, { initial }).outcome;
  await Promise.all(servers.map((server) => server.stop(true)));
  expect(rounds[0]?.accuracy).toBeCloseTo(0.2, 12);
  expect(rounds[0]?.evaluationFailures).toEqual([
    { participant: "s3", reason: "it reports 1e+300 examples, more than 100 times the median of the others (10)" },
  ]);
});
