import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  float32,
  Participant,
  readSafetensors,
  secagg,
  type TrainFunction,
  writeSafetensors,
} from "../../sdk/typescript/src/index.ts";
import type { RoundRecord } from "../../src/training/coordinator/run-folder.ts";
import { newFolder, PROGRAM } from "../e2e/process.ts";
import { hasPython, startPython } from "./secure-python.ts";

// Secure aggregation as users run it: `turnpike train run`, participants of both languages, over HTTP.

const GROUP_SECRET = "what only participants know";
const SCALE = { clip: 8, maxWeight: 5 };
const folder = newFolder();
const stops: Array<() => unknown> = [];
afterAll(async () => {
  for (const stop of stops) await stop();
  folder.remove();
});

const START = [0.5, -1, 2];
const modelOf = (values: ArrayLike<number>) => writeSafetensors(new Map([["w", float32(Float32Array.from(values))]]));
const valuesOf = (bytes: Uint8Array): Float32Array =>
  new Float32Array(Uint8Array.from(readSafetensors(Uint8Array.from(bytes)).get("w")?.bytes ?? []).buffer);
writeFileSync(join(folder.path, "start.safetensors"), modelOf(START));

interface Own {
  readonly id: string;
  readonly own: readonly number[];
  readonly examples: number;
  readonly diesIn?: number;
}

/** Called with the path of every call that a participant of this process has answered, just before the answer leaves. */
let answered: (path: string) => void = () => undefined;

async function startHere({ own, examples }: Own): Promise<string> {
  const train: TrainFunction = (parameters) => {
    const values = valuesOf(parameters as Uint8Array).map((value, at) => value + 0.5 * ((own[at] ?? 0) - value));
    return { parameters: modelOf(values), numExamples: examples };
  };
  const participant = new Participant({
    partial: true,
    secureOnly: true,
    groupSecret: GROUP_SECRET,
    log: ({ path }) => answered(String(path)),
  });
  participant.registerTrain(train);
  participant.registerEvaluate((parameters) => valuesOf(parameters as Uint8Array)[0] ?? 0);
  participant.registerDataset("default", []);
  const { url, stop } = await participant.serve({ host: "127.0.0.1", port: 0 });
  stops.push(stop);
  return url;
}

function start(plan: string, run: string) {
  return Bun.spawn([...PROGRAM, "train", "run", plan, "--folder", run, "--json"], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? "", HOME: folder.path },
    stdout: "pipe",
    stderr: "pipe",
  });
}

async function finish(plan: string, run: string) {
  const child = start(plan, run);
  const [text, progress] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(`${await child.exited} ${progress.includes("rror") ? progress : ""}`).toBe("0 ");
  const rounds = readFileSync(join(folder.path, run, "rounds.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RoundRecord);
  return { outcome: JSON.parse(text) as { model: string; paused: string | null }, rounds, progress };
}

const writePlan = (name: string, participants: readonly { id: string; url: string }[], more: object) =>
  writeFileSync(
    join(folder.path, name),
    JSON.stringify({
      participants,
      retries: 0,
      max_examples: SCALE.maxWeight,
      initial: "start.safetensors",
      evaluation: { participants: 1 },
      secure_aggregation: { threshold: 0.67, clip: SCALE.clip },
      ...more,
    }),
  );

/** What a round gives when the words of everybody are summed in the open. */
function nextOf(values: Float32Array, owners: readonly Own[]): Float32Array {
  const sum = new Uint32Array(values.length + 1);
  for (const { own, examples } of owners) {
    const trained = values.map((value, at) => value + 0.5 * ((own[at] ?? 0) - value));
    const change = Array.from(trained, (value, at) => value - (values[at] as number));
    secagg
      .toWords({ length: change.length, pieces: [change] }, Math.min(examples, SCALE.maxWeight), SCALE)
      .forEach((word, at) => {
        sum[at] = (sum[at] as number) + word;
      });
  }
  const { meanAt } = secagg.fromWords(sum, owners.length, SCALE);
  return values.map((value, at) => value + meanAt(at));
}

const ownersOf = (count: number): Own[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `p${at}`,
    own: [at, at * at * 0.25, -3 * at],
    examples: at + 1,
    ...(at === 5 ? { diesIn: 2 } : {}),
  }));

async function python3({ own, examples, diesIn }: Own): Promise<string> {
  const { url, stop } = await startPython({ own, examples, dies_in: diesIn, group_secret: GROUP_SECRET });
  stops.push(stop);
  return url;
}

describe.skipIf(!hasPython)("three participants in each language", () => {
  test("sum in secret what they sum in the open, and go on without the one that dies", async () => {
    const owners = ownersOf(6);
    const urls = await Promise.all(owners.map((owner, at) => (at < 3 ? startHere(owner) : python3(owner))));
    writePlan(
      "both.yaml",
      owners.map(({ id }, at) => ({ id, url: urls[at] ?? "" })),
      { name: "both", rounds: 3 },
    );
    const { outcome, rounds, progress } = await finish("both.yaml", "both");
    expect(outcome.paused).toBeNull();
    const alive = owners.slice(0, 5);
    const expected = nextOf(nextOf(nextOf(Float32Array.from(START), owners), alive), alive);
    const model = readFileSync(join(folder.path, "both", "models", outcome.model));
    expect([...valuesOf(model)]).toEqual([...expected]);
    expect(
      rounds.map(({ secure, dropped }) => [secure, dropped.map((one) => `${one.participant} ${one.phase}`)]),
    ).toEqual([
      [{ attempt: 1, threshold: 4, asked: 6, weight: 1 + 2 + 3 + 4 + 5 + 5 }, []],
      [{ attempt: 1, threshold: 4, asked: 6, weight: 15 }, ["p5 masked"]],
      [{ attempt: 1, threshold: 4, asked: 6, weight: 15 }, ["p5 keys"]],
    ]);
    expect(rounds[0]?.replies[0]).toMatchObject({ participant: "p0", numExamples: null, norm: null, counted: true });
    expect(progress).toContain("secure sum of 5 of 6, p5 dropped in masked");
    const report = readFileSync(join(folder.path, "both", "report.html"), "utf8");
    expect(report).toContain("Secure aggregation: updates were masked");
    expect(report).toContain("p5 (masked)");
  }, 60_000);
});

describe("a coordinator that is killed in the second round", () => {
  const PER_ROUND = 4 * 4 + 1;
  // Calls are counted over all four participants: keys are the first four of a round, then shares, updates, unmasking.
  const instants = [
    { phase: "keys", call: 2, attempt: 2 },
    { phase: "shares", call: 5, attempt: 2 },
    { phase: "masked", call: 12, attempt: 2 },
    { phase: "unmask", call: 13, attempt: 1 },
    { phase: "unmask", call: 16, attempt: 1 },
  ];

  test("begins the sum anew, or asks for the same list again, and comes to the same bytes", async () => {
    const owners = ownersOf(4);
    const urls = await Promise.all(owners.map(startHere));
    writePlan(
      "killed.yaml",
      owners.map(({ id }, at) => ({ id, url: urls[at] ?? "" })),
      { name: "killed", rounds: 3, strategy: "fedadam" },
    );
    const undisturbed = await finish("killed.yaml", "undisturbed");
    for (const { phase, call, attempt } of instants) {
      const run = `killed-${call}`;
      let left = PER_ROUND + call;
      const child = start("killed.yaml", run);
      const path = await new Promise<string>((resolve) => {
        answered = (at) => {
          left--;
          if (left > 0) return;
          answered = () => undefined;
          child.kill("SIGKILL");
          resolve(at);
        };
      });
      expect(path).toBe(`/secagg/${phase}`);
      expect(await child.exited).not.toBe(0);
      const { outcome, rounds } = await finish("killed.yaml", run);
      expect(outcome.model).toBe(undisturbed.outcome.model);
      expect(rounds.map(({ secure }) => secure?.attempt)).toEqual([1, attempt, 1]);
    }
  }, 120_000);
});
