import type { Route } from "../../http/route.ts";
import type { Participants } from "../../training/participants.ts";
import type { Runs } from "../../training/runs.ts";
import { participantRoutes } from "./participants.ts";
import { runReadRoutes } from "./run-reads.ts";
import { runRoutes } from "./runs.ts";
import { listStrategies } from "./strategies.ts";

export interface TrainingThings {
  readonly participants: Participants;
  readonly runs: Runs;
  readonly bodyBytesMax: number;
}

export const trainingRoutes = ({ participants, runs, bodyBytesMax }: TrainingThings): Route[] => [
  ...participantRoutes(participants),
  ...runRoutes(runs, bodyBytesMax),
  ...runReadRoutes(runs),
  listStrategies(),
];
