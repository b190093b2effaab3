import type { ResponseAnswer } from "../contract/responses.ts";
import type { Held } from "../lib/leased-task-runner.ts";
import type { KeptResponse } from "./kept-response-store.ts";

/** A kept response that is carried out behind its call, and what is needed for it. It is there for some time past its end. */
export interface BackgroundResponse {
  readonly id: string;
  readonly keyId: string;
  readonly status: "queued" | "in_progress" | "ended";
  readonly leaseOwner: string | null;
  readonly leaseUntil: number | null;
  readonly endedAt: number | null;
  /** How many events are kept; those of a response that was not asked for as a stream are not. */
  readonly told: number;
  /** What was asked for, sealed: it may hold credentials of the caller. Empty at the end. */
  readonly asked: string;
}

/** What becomes of one: the events are those that follow what was told. */
export interface Moved {
  readonly work: BackgroundResponse;
  readonly answer: ResponseAnswer;
  readonly events: string;
}

/** Whole events, and the number of the last of them. */
export interface ToldEvents {
  readonly text: string;
  readonly last: number;
}

export interface BackgroundStore {
  insert(kept: KeptResponse, { work, events }: Pick<Moved, "work" | "events">): Promise<void>;
  find(id: string): Promise<BackgroundResponse | null>;
  /** All of it or nothing; null where there is none, or nothing is to become of it. */
  change(id: string, decide: (work: BackgroundResponse, answer: ResponseAnswer) => Moved | null): Promise<Moved | null>;
  /** Further events, the first of them with this number, while the owner has it; false where it has not. */
  append(owner: string, id: string, from: number, events: string): Promise<boolean>;
  /** Some of the events behind a number; null where there are none. */
  eventsAfter(id: string, after: number): Promise<ToldEvents | null>;
  /** Of these, the ones that the owner still has. */
  renew(owner: string, ids: readonly string[], leaseUntil: number): Promise<readonly Held[]>;
  /** Those that nobody carries out. */
  listDue(nowMs: number, max: number): Promise<readonly BackgroundResponse[]>;
  /** The events of those that ended before; the responses stay. */
  removeEnded(beforeMs: number): Promise<void>;
}
