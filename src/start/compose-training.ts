import { join } from "node:path";
import { activeOrganization, requireOrganization } from "../accounts/access.ts";
import { asOperator } from "../accounts/authority.ts";
import { deriveSecrets } from "../accounts/secrets.ts";
import type { AccountStores } from "../accounts/store.ts";
import type { TrainingConfig } from "../config/config.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { trainingRoutes } from "../routes/training/training-routes.ts";
import type { Present, TrainingAccess } from "../training/access.ts";
import { RunExecutor } from "../training/hosting/run-desk.ts";
import { RunFiles } from "../training/hosting/run-files.ts";
import { Participants } from "../training/participants.ts";
import { RunWatch } from "../training/run-watch.ts";
import { Runs } from "../training/runs.ts";
import type { TrainingStores } from "../training/store.ts";
import { participantTransport, refusePrivateParticipant } from "./participant-door.ts";
import { spawnTraining } from "./training-process.ts";

export interface TrainingSurroundings {
  readonly accounts: AccountStores;
  readonly present: Present;
  readonly stores: TrainingStores;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dataDir: string;
  readonly isClosed: () => boolean;
  readonly bodyBytesMax: number;
}

export interface Training {
  readonly routes: readonly Route[];
  /** Carries out runs; called every second. Never throws. */
  tick(): Promise<void>;
  /** Removes folders of runs that are gone; called now and then. Never throws. */
  tidy(): Promise<void>;
  /** Leaves what is under way to others. */
  stop(): Promise<void>;
}

/** Trainings of organizations: who takes part and what is run. */
export function composeTraining(config: TrainingConfig, runtime: TrainingSurroundings): Training {
  const { stores, clock, log, present } = runtime;
  const access = trainingAccess(runtime.accounts);
  const participants = new Participants({
    stores,
    access,
    clock,
    sealingKey: deriveSecrets(runtime.secret).sealingKey,
    checkUrl: config.allowPrivateParticipants ? () => undefined : refusePrivateParticipant,
    send: participantTransport(config.allowPrivateParticipants),
  });
  const files = new RunFiles(join(runtime.dataDir, "training"), config.keepFreeMb);
  const watch = new RunWatch(stores, runtime.isClosed);
  const desk = new RunExecutor(
    {
      stores,
      files,
      clock,
      log,
      spawn: spawnTraining,
      tokenOf: (participant) => participants.tokenOf(participant),
      allowPrivate: config.allowPrivateParticipants,
      keepFreeMb: config.keepFreeMb,
      happened: watch.wake,
    },
    config.parallelRuns,
  );
  const runs = new Runs({ stores, access, present, clock, files, desk, watch });
  return {
    routes: trainingRoutes({ participants, runs, bodyBytesMax: runtime.bodyBytesMax }),
    tick: () => desk.tick(),
    tidy: () => desk.tidy(),
    async stop() {
      watch.stop();
      await desk.stop();
    },
  };
}

/** Administrators of the installation may do what owners may, in the organization that they name. */
const trainingAccess =
  (accounts: AccountStores): TrainingAccess =>
  async (caller, named, wanted, missing) => {
    try {
      if (named === null) return (await activeOrganization(accounts, caller, null, wanted)).organization;
      const authority = caller.role === "admin" ? asOperator(caller) : caller;
      return (await requireOrganization(accounts, authority, named, wanted)).organization;
    } catch (thrown) {
      if (missing && thrown instanceof GatewayError && thrown.kind === "not_found") throw missing();
      throw thrown;
    }
  };
