import type { PageNumbers } from "../contract/paging.ts";
import type { RoundRecord } from "./coordinator/run-folder.ts";
import type { RunStatus, TrainingEvent, TrainingParticipant, TrainingRun } from "./records.ts";

export interface Paged<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** What trainings need of a database. `storage/` implements it; everything may throw `database` or `conflict`. */
export interface TrainingStores {
  readonly participants: ParticipantStore;
  readonly runs: RunStore;
  readonly events: EventStore;
  readonly audit: AuditWriter;
  /** All or nothing; `work` uses the stores that it is handed, never the outer ones. */
  transaction<T>(work: (stores: TrainingStores) => Promise<T>): Promise<T>;
}

export interface ParticipantStore {
  /** Nobody else adds one to the organization before the transaction ends. */
  lock(organizationId: string): Promise<void>;
  find(id: string): Promise<TrainingParticipant | null>;
  /** By name. */
  list(organizationId: string, page: PageNumbers): Promise<Paged<TrainingParticipant>>;
  listNamed(organizationId: string, names: readonly string[]): Promise<readonly TrainingParticipant[]>;
  /** `conflict` where the organization has one of that name. */
  insert(participant: TrainingParticipant): Promise<void>;
  update(
    id: string,
    changes: Partial<Pick<TrainingParticipant, "name" | "url" | "sealedToken" | "maxExamples" | "probe" | "updatedAt">>,
  ): Promise<void>;
  remove(id: string): Promise<void>;
}

/** A run that waits to be carried out: what is needed to see whether it can be, here. */
export type DueRun = Pick<
  TrainingRun,
  "id" | "organizationId" | "roundsDone" | "initialHash" | "leaseOwner" | "leaseUntil"
>;

export interface RunStore {
  find(id: string): Promise<TrainingRun | null>;
  insert(run: TrainingRun): Promise<void>;
  /** Decides while nobody else can change it; null leaves it as it is. */
  change(id: string, decide: (run: TrainingRun) => TrainingRun | null): Promise<TrainingRun | null>;
  /** The newest first. Of their plans, strategy and participants. */
  list(organizationId: string, filter: { readonly status?: RunStatus }, page: PageNumbers): Promise<Paged<TrainingRun>>;
  /** Runs that are not at their end. Of their plans, strategy and participants. */
  listOpen(organizationId: string): Promise<readonly TrainingRun[]>;
  count(organizationId: string): Promise<number>;
  /** Which of these are there. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  remove(id: string): Promise<void>;
  /** Those of these that this owner holds, for a while longer. */
  renew(
    owner: string,
    ids: readonly string[],
    leaseUntil: number,
  ): Promise<ReadonlyArray<Pick<TrainingRun, "id" | "status">>>;
  /** What waits to be carried out and is held by nobody, as far as this clock can tell; the oldest first. */
  listDue(nowMs: number, limit: number): Promise<readonly DueRun[]>;
}

export interface EventStore {
  insert(event: TrainingEvent): Promise<void>;
  /** Takes the rounds after this one out of the list of rounds. Their events stay. */
  removeRoundsAfter(runId: string, round: number): Promise<void>;
  listAfter(runId: string, number: number, limit: number): Promise<readonly TrainingEvent[]>;
  /** The newest first, or from the first on. */
  listRounds(runId: string, page: PageNumbers, order: "asc" | "desc"): Promise<Paged<RoundRecord>>;
  findRound(runId: string, round: number): Promise<RoundRecord | null>;
}

export interface TrainingNote {
  readonly action: string;
  readonly organizationId: string;
  readonly targetType: string;
  readonly targetId: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Null: the program itself. */
  readonly by: { readonly userId: number | null; readonly address: string | null } | null;
}

export interface AuditWriter {
  note(note: TrainingNote, atMs: number): Promise<void>;
}
