import type { RoundRecord } from "./coordinator/run-folder.ts";

/** What a participant answered when it was last asked how it is. */
export interface Probe {
  readonly at: number;
  readonly ok: boolean;
  /** What is wrong, or what it calls itself; it is the participant's own word. */
  readonly detail: string;
  /** Names of the data sets that it has registered. */
  readonly datasets: readonly string[];
}

/** Somebody who trains, as an organization has registered it. */
export interface TrainingParticipant {
  readonly id: string;
  readonly organizationId: string;
  /** What plans and records call it. */
  readonly name: string;
  readonly url: string;
  readonly sealedToken: string | null;
  /** It never counts for more examples than this. */
  readonly maxExamples: number | null;
  /** Null before it was asked. */
  readonly probe: Probe | null;
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type RunStatus = "queued" | "running" | "paused" | "completed" | "cancelled";

export const isEnded = (status: RunStatus): boolean => status === "completed" || status === "cancelled";

/** A plan as it was sent, its participants by the names they had, everything else as `coordinator/plan.ts` reads it. */
export type PlanDocument = Readonly<Record<string, unknown>> & {
  readonly participants: ReadonlyArray<{ readonly id: string; readonly max_examples?: number }>;
};

export interface TrainingRun {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly plan: PlanDocument;
  readonly status: RunStatus;
  /** Why it is paused. */
  readonly reason: string | null;
  readonly rounds: number;
  readonly roundsDone: number;
  /** How many events it has; the next one's number is one more. */
  readonly eventsMade: number;
  /** SHA-256 of the model to begin with, which lies in the run's folder. */
  readonly initialHash: string | null;
  /** The process that carries it out, and until when it is taken for alive. */
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  /** How often it was taken up since its last round. */
  readonly attempts: number;
  readonly createdBy: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export type TrainingEvent = {
  readonly runId: string;
  /** From 1, without gaps. */
  readonly number: number;
  readonly at: number;
} & (
  | { readonly kind: "status"; readonly round: null; readonly data: StatusChange }
  /** The number is null after a rollback removed the round. */
  | { readonly kind: "round"; readonly round: number | null; readonly data: RoundRecord }
);

export interface StatusChange {
  readonly status: RunStatus;
  readonly reason: string | null;
  /** The last round that a rollback left; absent for any other change. */
  readonly returnedTo?: number;
}
