import type { Cursor, Owner, Slice } from "../contract/cursor.ts";
import type { Held } from "../lib/leased-task-runner.ts";
import type { Assistant, Message, Thread } from "./records.ts";
import type { Run, Step } from "./run-records.ts";

export type { Cursor, Owner, Slice };

/** What assistants need of a database. An `after` or `before` that names nothing of the owner's is `not_found`. */
export interface AssistantStores {
  readonly assistants: AssistantStore;
  readonly threads: ThreadStore;
  readonly messages: MessageStore;
  readonly runs: RunStore;
  readonly steps: StepStore;
  /** All or nothing; `work` uses the stores that it is handed, never the outer ones. */
  transaction<T>(work: (stores: AssistantStores) => Promise<T>): Promise<T>;
}

export interface AssistantStore {
  find(owner: Owner, id: string): Promise<Assistant | null>;
  /** The same inside a transaction: nobody else changes it before its end. */
  hold(owner: Owner, id: string): Promise<Assistant | null>;
  insert(assistant: Assistant): Promise<void>;
  /** False where it is not there any more. */
  update(assistant: Assistant): Promise<boolean>;
  remove(owner: Owner, id: string): Promise<boolean>;
  list(owner: Owner, cursor: Cursor): Promise<Slice<Assistant>>;
}

export interface ThreadStore {
  find(owner: Owner, id: string): Promise<Thread | null>;
  insert(thread: Thread): Promise<void>;
  update(thread: Thread): Promise<boolean>;
  /** With its messages, runs and their steps. */
  remove(owner: Owner, id: string): Promise<boolean>;
  list(owner: Owner, cursor: Cursor): Promise<Slice<Thread>>;
  /** The run that is under way in it. Inside a transaction nobody else begins one, or adds a message, before its end. */
  lock(id: string): Promise<{ readonly activeRunId: string | null }>;
}

export type NewMessage = Omit<Message, "position">;

export interface MessageStore {
  find(threadId: string, id: string): Promise<Message | null>;
  /** In this order, behind all that are there. */
  append(threadId: string, messages: readonly NewMessage[]): Promise<readonly Message[]>;
  update(message: Message): Promise<boolean>;
  remove(threadId: string, id: string): Promise<boolean>;
  list(threadId: string, cursor: Cursor, runId?: string): Promise<Slice<Message>>;
}

export interface RunStore {
  find(threadId: string, id: string): Promise<Run | null>;
  /** A second one that is under way in the same thread is a `conflict`. */
  insert(run: Run): Promise<void>;
  /** Makes it what `decide` gives, unless that is null; nobody else changes it in between. Gives what it is now. */
  change(id: string, decide: (run: Run) => Run | null): Promise<Run | null>;
  list(threadId: string, cursor: Cursor): Promise<Slice<Run>>;
  /** Whether the process still has the run at this attempt. Inside a transaction nobody takes it before its end. */
  isHeldBy(owner: string, run: Run): Promise<boolean>;
  /** Goes on holding those of these that the process holds; gives what they are at. */
  renew(owner: string, ids: readonly string[], leaseUntil: number): Promise<readonly Held[]>;
  /** Those that nobody carries out although somebody should, and those whose time is over. */
  listDue(nowMs: number, limit: number): Promise<readonly Run[]>;
}

export type NewStep = Omit<Step, "position">;

export interface StepStore {
  find(runId: string, id: string): Promise<Step | null>;
  append(step: NewStep): Promise<Step>;
  update(step: Step): Promise<void>;
  list(runId: string, cursor: Cursor): Promise<Slice<Step>>;
  /** All of a run, in their order. */
  listAll(runId: string): Promise<readonly Step[]>;
  remove(id: string): Promise<void>;
}
