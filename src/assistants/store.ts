import type { Assistant, Message, Thread } from "./records.ts";

/** A part of a list, from one record to the next. */
export interface Cursor {
  readonly order: "asc" | "desc";
  readonly limit: number;
  readonly after: string | null;
  readonly before: string | null;
}

export interface Slice<T> {
  readonly rows: readonly T[];
  /** Whether the list goes on past the last row, in the direction in which it was asked for. */
  readonly more: boolean;
}

/** Whose records: those of a team, or of the master key, which has none. */
export interface Owner {
  readonly teamId: string | null;
}

/** What assistants need of a database. An `after` or `before` that names nothing of the owner's is `not_found`. */
export interface AssistantStores {
  readonly assistants: AssistantStore;
  readonly threads: ThreadStore;
  readonly messages: MessageStore;
  /** All or nothing; `work` uses the stores that it is handed, never the outer ones. */
  transaction<T>(work: (stores: AssistantStores) => Promise<T>): Promise<T>;
}

export interface AssistantStore {
  find(owner: Owner, id: string): Promise<Assistant | null>;
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
