import type { RoundRecord } from "../coordinator/run-folder.ts";
import type { PlanDocument } from "../records.ts";

/** Everything that a process needs to carry a run out. It is told over a channel: tokens are in no argument and no file. */
export interface Job {
  readonly runId: string;
  readonly folder: string;
  readonly plan: PlanDocument;
  readonly hasInitial: boolean;
  /** How many rounds the database has; those that only the folder has are told first. */
  readonly roundsDone: number;
  readonly participants: ReadonlyArray<{
    readonly name: string;
    readonly url: string;
    readonly token: string | null;
  }>;
  readonly allowPrivate: boolean;
  readonly keepFreeMb: number;
  /** It ends itself when it was not told for so long that the run is still its own. */
  readonly leaseMs: number;
}

export type FromHost = { readonly kind: "begin"; readonly job: Job } | { readonly kind: "held" };

export type ToHost =
  /** Its answer to every `held`: it is not stuck. */
  | { readonly kind: "here" }
  | { readonly kind: "round"; readonly record: RoundRecord }
  /** `paused` says why it did not come to its end. */
  | { readonly kind: "end"; readonly paused: string | null }
  | { readonly kind: "failed"; readonly reason: string };

/** A process that carries a run out. */
export interface RunProcess {
  /** The run is still this process's. It says that it has heard it. */
  held(): void;
  kill(): void;
  readonly exited: Promise<number | null>;
}

export type Spawn = (job: Job, hear: (message: ToHost) => void) => RunProcess;
