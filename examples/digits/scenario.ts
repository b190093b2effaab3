import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { Coordinator } from "../../src/training/coordinator/coordinator.ts";
import { readPlan } from "../../src/training/coordinator/plan.ts";
import { renderReport } from "../../src/training/coordinator/report.ts";
import { type RoundRecord, RunFolder } from "../../src/training/coordinator/run-folder.ts";
import type { StrategyPlan } from "../../src/training/strategies/strategies.ts";
import { divide, splitForTest } from "./data.ts";
import { Network } from "./network.ts";

export interface Scenario {
  readonly name: string;
  readonly participants: number;
  readonly skewed: boolean;
  readonly rounds: number;
  readonly epochs: number;
  /** The learning rate. */
  readonly rate: number;
  readonly strategy: StrategyPlan;
  /** How many turn their updates round, four times as long. */
  readonly liars: number;
  /** Whether the coordinator sees only the sum of the updates. */
  readonly secure?: boolean;
}

export interface Started {
  readonly url: string;
  stop(): Promise<void>;
}

/** Five of ten speak Python where there is one with numpy. */
async function startParticipants(scenario: Scenario, python: string | null, seed: number): Promise<Started[]> {
  const { train, test } = splitForTest(seed);
  const shares = divide(train, scenario.participants, scenario.skewed, seed);
  return Promise.all(
    shares.map((rows, at) => {
      const attack = at < scenario.liars ? "sign_flip" : null;
      const options = JSON.stringify({ name: nameOf(at), rows, test, attack });
      const useBun = python === null || at % 2 === 0;
      const file = join(import.meta.dir, useBun ? "participant.ts" : "participant.py");
      return start(useBun ? [process.execPath, file, options] : [python, "-u", file, options]);
    }),
  );
}

const nameOf = (at: number): string => `p${String(at).padStart(2, "0")}`;

async function start(command: string[]): Promise<Started> {
  const env = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1", PYTHONDONTWRITEBYTECODE: "1" };
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit", env });
  let text = "";
  for await (const piece of child.stdout) {
    text += Buffer.from(piece).toString();
    const url = /listens on (\S+)\n/.exec(text)?.[1];
    if (url === undefined) continue;
    return {
      url,
      async stop() {
        child.kill("SIGKILL");
        await child.exited;
      },
    };
  }
  throw new Error(`a participant ended before it listened: ${text}`);
}

export interface ScenarioOutcome {
  readonly rounds: readonly RoundRecord[];
  readonly report: string;
}

/** Starts the participants, runs the rounds over HTTP, and gives what became of them. */
export async function runScenario(
  scenario: Scenario,
  python: string | null,
  seed: number,
  tell: (record: RoundRecord) => void = () => undefined,
): Promise<ScenarioOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-digits-"));
  const participants = await startParticipants(scenario, python, seed);
  try {
    const initial = Network.fresh(seed).write();
    writeFileSync(join(folder, "initial"), initial);
    const plan = readPlan({
      name: scenario.name,
      seed,
      rounds: scenario.rounds,
      participants: participants.map(({ url }, at) => ({ id: nameOf(at), url })),
      strategy: scenario.strategy,
      config: { lr: scenario.rate, epochs: scenario.epochs },
      dataset: "train",
      evaluation: { participants: 1, dataset: "test" },
      initial: "initial",
      ...(scenario.secure ? { secure_aggregation: { threshold: 0.67, clip: 8 }, max_examples: 1000 } : {}),
    });
    const run = new RunFolder(folder);
    // Participants mix their rows by the run's name: a name that stays the same makes a run that can be repeated.
    const runId = `digits-${seed}`;
    const outcome = await new Coordinator({
      plan,
      folder: run,
      clock: systemClock,
      tokens: {},
      initial,
      tell,
      runId,
    }).run();
    if (outcome.paused !== null) throw new Error(outcome.paused);
    return { rounds: outcome.rounds, report: renderReport(plan, outcome.rounds) };
  } finally {
    await Promise.all(participants.map((one) => one.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}
