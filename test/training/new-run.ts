import { newId } from "../../src/lib/ids.ts";
import type { RoundRecord } from "../../src/training/coordinator/run-folder.ts";
import type { TrainingParticipant, TrainingRun } from "../../src/training/records.ts";

const AT = 1_763_000_000_123;

export const newRun = (organizationId: string, given: Partial<TrainingRun> = {}): TrainingRun => ({
  id: newId(),
  organizationId,
  name: "Größe 🚀",
  plan: { participants: [{ id: "north", max_examples: 5 }], rounds: 3 },
  status: "queued",
  reason: null,
  rounds: 3,
  roundsDone: 0,
  eventsMade: 1,
  initialHash: null,
  leaseOwner: null,
  leaseUntil: null,
  attempts: 0,
  createdBy: null,
  createdAt: AT,
  updatedAt: AT,
  startedAt: null,
  endedAt: null,
  ...given,
});

export const newParticipant = (
  organizationId: string,
  given: Partial<TrainingParticipant> = {},
): TrainingParticipant => ({
  id: newId(),
  organizationId,
  name: "north",
  url: "https://north.example.com",
  sealedToken: "v1.x",
  maxExamples: 2 ** 40,
  probe: { at: AT, ok: true, detail: "größe 🚀", datasets: ["digits"] },
  createdBy: null,
  createdAt: AT,
  updatedAt: AT,
  ...given,
});

export const newRound = (round: number): RoundRecord => ({
  round,
  at: new Date(AT).toISOString(),
  strategy: "fedavg",
  modelIn: null,
  modelOut: "0".repeat(64),
  stateOut: {},
  replies: [],
  dropped: [{ participant: "south", reason: "größe 🚀" }],
  accuracy: 0.5,
  loss: null,
  cosine: 1,
  warning: null,
  epsilon: null,
});
