import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RunFolder } from "../../src/training/coordinator/run-folder.ts";
import { SeededRandom } from "../../src/training/seeded-random.ts";
import { newFolder, PROGRAM } from "../e2e/process.ts";
import { modelOf, type Small, startSmall } from "./small-participants.ts";

const ROUNDS = 20;
const RUNS = 20;
const folder = newFolder();
let begun: (() => void) | null = null;
const participants: Small[] = await Promise.all(
  ["a", "b", "c"].map((id, at) => startSmall(id, at, undefined, () => begun?.())),
);
afterAll(async () => {
  await Promise.all(participants.map((one) => one.stop()));
  folder.remove();
});

writeFileSync(
  join(folder.path, "plan.yaml"),
  JSON.stringify({
    name: "restart",
    rounds: ROUNDS,
    strategy: { name: "fedadam", learning_rate: 0.1 },
    participants: participants.map(({ id, url }) => ({ id, url })),
  }),
);

const start = (run: string, plan = "plan.yaml") =>
  Bun.spawn([...PROGRAM, "train", "run", plan, "--folder", run, "--json"], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? "", HOME: folder.path },
    stdout: "pipe",
    stderr: "ignore",
  });

async function finish(run: string, plan?: string): Promise<{ rounds: number; model: string; paused: string | null }> {
  const child = start(run, plan);
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return JSON.parse(text);
}

// The instant is a call that arrives somewhere: in mid-round by its nature, and never the same number of steps later.
const random = new SeededRandom("restart");
const instants = Array.from({ length: RUNS }, (_, run) => ({
  run: `run-${run}`,
  call: 1 + random.below(ROUNDS * participants.length - 2),
}));

async function killAtCall(run: string, call: number, plan?: string): Promise<void> {
  let left = call;
  const child = start(run, plan);
  const killed = new Promise<void>((resolve) => {
    begun = () => {
      left--;
      if (left > 0) return;
      begun = null;
      child.kill("SIGKILL");
      resolve();
    };
  });
  await killed;
  expect(await child.exited).not.toBe(0);
}

describe("a coordinator that is killed at any instant goes on to the same bytes", () => {
  let undisturbed = "";
  beforeAll(async () => {
    const { rounds, model } = await finish("undisturbed");
    expect(rounds).toBe(ROUNDS);
    undisturbed = model;
  }, 30_000);

  test.each(instants)(
    "$run, at call $call",
    async ({ run, call }) => {
      await killAtCall(run, call);
      const outcome = await finish(run);
      expect(outcome.model).toBe(undisturbed);
      const models = readFileSync(join(folder.path, run, "rounds.jsonl"), "utf8")
        .trim()
        .split("\n");
      expect(models).toHaveLength(ROUNDS);
    },
    60_000,
  );
});

describe("a coordinator of asynchronous rounds that is killed goes on from what had arrived", () => {
  const BUFFER = 2;
  beforeAll(() => {
    writeFileSync(join(folder.path, "initial"), modelOf([0, 0, 0]));
    const people = participants.map(({ id, url }) => ({ id, url }));
    const plan = { name: "asynchronous", rounds: ROUNDS, mode: "asynchronous", buffer: BUFFER, participants: people };
    writeFileSync(join(folder.path, "asynchronous.yaml"), JSON.stringify({ ...plan, initial: "initial" }));
  });

  test.each(instants.slice(0, 3).map(({ run, call }) => ({ run: `asynchronous-${run}`, call: 1 + (call % 35) })))(
    "$run, at call $call",
    async ({ run, call }) => {
      const before = participants.reduce((sum, { calls }) => sum + calls.count, 0);
      await killAtCall(run, call, "asynchronous.yaml");
      const { paused } = await finish(run, "asynchronous.yaml");
      expect(paused).toBeNull();
      const rounds = new RunFolder(join(folder.path, run)).rounds();
      expect(rounds).toHaveLength(ROUNDS);
      rounds.slice(1).forEach((round, at) => {
        expect(round.modelIn).toBe(rounds[at]?.modelOut ?? "");
      });
      const arrivals = rounds.flatMap(({ replies }) => replies.map(({ arrival }) => arrival));
      expect(arrivals).toHaveLength(ROUNDS * BUFFER);
      expect(new Set(arrivals).size).toBe(ROUNDS * BUFFER);
      // Nobody trained for an answer that was here already: only what was under way at the end is not among them.
      const trained = participants.reduce((sum, { calls }) => sum + calls.count, 0) - before;
      expect(trained).toBeLessThanOrEqual(ROUNDS * BUFFER + participants.length);
    },
    60_000,
  );
});
