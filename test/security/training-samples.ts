import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { newId } from "../../src/lib/ids.ts";
import { seal } from "../../src/lib/seal.ts";
import type { TrainingRun } from "../../src/training/records.ts";
import type { MakeSample } from "./samples.ts";
import { ROOT_SECRET, type Tenant, type World } from "./world.ts";

/** At an address that is never called: the guard refuses it before a packet leaves. */
async function freshParticipant(world: World, { organizationId }: Tenant): Promise<{ id: string; name: string }> {
  const [id, now] = [newId(), Date.now()];
  const name = `p${id}`;
  const token = world.secret("participant's token", `canary-${crypto.randomUUID()}`);
  await world.app.storage.training.participants.insert({
    id,
    organizationId,
    name,
    url: "http://127.0.0.1:1",
    sealedToken: seal(deriveSecrets(ROOT_SECRET).sealingKey, `training-participant:${id}`, token),
    maxExamples: null,
    probe: null,
    createdBy: null,
    createdAt: now,
    updatedAt: now,
  });
  return { id, name };
}

const participant: MakeSample = async (world, tenant) => ({
  params: { id: (await freshParticipant(world, tenant)).id },
});

/** A run with one round; nobody carries it out, because nobody ticks. */
async function freshRun(world: World, { organizationId }: Tenant, status: TrainingRun["status"]): Promise<string> {
  const [id, at] = [newId(), Date.now()];
  const { runs, events } = world.app.storage.training;
  await runs.insert({
    id,
    organizationId,
    name: `run ${id}`,
    plan: { participants: [{ id: "north" }], rounds: 2 },
    status,
    reason: null,
    rounds: 2,
    roundsDone: 1,
    eventsMade: 2,
    initialHash: null,
    leaseOwner: null,
    leaseUntil: null,
    attempts: 0,
    createdBy: null,
    createdAt: at,
    updatedAt: at,
    startedAt: at,
    endedAt: null,
  });
  const record = {
    round: 1,
    at: new Date(at).toISOString(),
    strategy: "fedavg",
    modelIn: null,
    modelOut: "0".repeat(64),
    stateOut: {},
    replies: [],
    dropped: [],
    accuracy: 0.5,
    loss: null,
    cosine: 1,
    warning: null,
    epsilon: null,
  };
  await events.insert({ runId: id, number: 1, at, kind: "round", round: 1, data: record });
  await events.insert({ runId: id, number: 2, at, kind: "status", round: null, data: { status, reason: null } });
  return id;
}

const run =
  (status: TrainingRun["status"]): MakeSample =>
  async (world, tenant) => ({ params: { id: await freshRun(world, tenant, status) } });

export const TRAINING_SAMPLES: Readonly<Record<string, MakeSample>> = {
  "GET /api/training/strategies": () => ({}),
  "GET /api/training/participants": participant,
  "POST /api/training/participants": (world) => ({
    body: {
      name: `made-${crypto.randomUUID()}`,
      url: `https://${crypto.randomUUID()}.example.com`,
      token: world.secret("participant's token", `canary-${crypto.randomUUID()}`),
    },
  }),
  "GET /api/training/participants/{id}": participant,
  "PATCH /api/training/participants/{id}": async (world, tenant) => ({
    ...(await participant(world, tenant, 0)),
    body: { maxExamples: 5 },
  }),
  "DELETE /api/training/participants/{id}": participant,
  "POST /api/training/participants/{id}/probe": participant,
  "GET /api/training/runs": run("paused"),
  "POST /api/training/runs": async (world, tenant) => ({
    body: { plan: { participants: [(await freshParticipant(world, tenant)).name] } },
  }),
  "GET /api/training/runs/{id}": run("paused"),
  "DELETE /api/training/runs/{id}": run("completed"),
  "POST /api/training/runs/{id}/pause": run("running"),
  "POST /api/training/runs/{id}/resume": run("paused"),
  "POST /api/training/runs/{id}/rollback": async (world, tenant) => {
    const id = await freshRun(world, tenant, "paused");
    mkdirSync(join(world.app.dataDir, "training", id, "models"), { recursive: true });
    return { params: { id }, body: { round: 0 } };
  },
  "POST /api/training/runs/{id}/cancel": run("paused"),
  "GET /api/training/runs/{id}/rounds": run("completed"),
  "GET /api/training/runs/{id}/events": run("completed"),
  "GET /api/training/runs/{id}/model": run("completed"),
  "GET /api/training/runs/{id}/report": run("completed"),
};
