import { afterAll, expect, test } from "bun:test";
import { SeededRandom } from "../../src/training/seeded-random.ts";
import { modelOf, type Small, startSmall } from "./small-participants.ts";
import { trainingRuns } from "./start-run.ts";

const COUNT = 5;
const RUNS = 100;
const runs = trainingRuns();
const participants: Small[] = [];
afterAll(async () => {
  await Promise.all(participants.map((each) => each.stop()));
  runs.clean();
});

test("in whatever order answers come, the model is the same to the last bit", async () => {
  const random = new SeededRandom(20261115);
  /** Those who have trained and wait until they may answer. */
  let waiting: { readonly key: number; readonly answer: () => void }[] = [];
  const turn = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push({ key: random.bits(), answer: resolve });
    if (waiting.length === COUNT) {
      const order = waiting.toSorted((a, b) => a.key - b.key);
      waiting = [];
      void (async () => {
        for (const { answer } of order) {
          answer();
          await Bun.sleep(1);
        }
      })();
    }
    return promise;
  };
  for (let at = 0; at < COUNT; at++) {
    const values = [Math.sin(at + 1) * 1e6, Math.cos(at) / 3, 1 / (at + 7)];
    const train = async () => {
      await turn();
      return { parameters: modelOf(values), numExamples: at * 3 + 1 };
    };
    participants.push(await startSmall(`p${at}`, at, train));
  }
  const models = new Set<string>();
  for (let run = 0; run < RUNS; run++) {
    const { rounds } = await runs.begin(participants, { rounds: 1 }).outcome;
    models.add(rounds[0]?.modelOut ?? `run ${run} has no model`);
    expect(rounds[0]?.replies).toHaveLength(COUNT);
  }
  expect([...models]).toHaveLength(1);
}, 60_000);
