import type { TrainingConfig } from "./config.ts";
import { TRAINING } from "./keys/training.ts";
import { Section } from "./section.ts";

const PARALLEL_RUNS = 2;
const PARALLEL_RUNS_MAX = 64;
const KEEP_FREE_MB = 512;

export function readTraining(general: Section): TrainingConfig {
  const map = general.map("training");
  const training = new Section(general.scope).add(map?.node, map?.path ?? "", "training", TRAINING);
  return {
    allowPrivateParticipants: training.boolean("allow_private_participants") ?? false,
    parallelRuns: training.number("parallel_runs", { integer: true, min: 0, max: PARALLEL_RUNS_MAX }) ?? PARALLEL_RUNS,
    keepFreeMb: training.number("keep_free_mb", { integer: true, min: 0 }) ?? KEEP_FREE_MB,
  };
}
