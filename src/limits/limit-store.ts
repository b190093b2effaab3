import type { Counted } from "./meter.ts";

/** One limit that a call asks for. */
export interface LimitRequest {
  readonly id: string;
  readonly counted: Counted;
  readonly limit: number;
  readonly amount: number;
  /** Calls of the asking process that run under a limit of calls at one time, or are being asked for. */
  readonly running: number;
}

/** What a process took or gave back without asking. */
export interface Change {
  readonly id: string;
  /** By the time of the house; `parallel`: the amount is how many calls run now. */
  readonly at: "parallel" | number;
  readonly amount: number;
}

export interface SyncReply {
  /** Another one than before: all that was told is forgotten. */
  readonly epoch: string;
  readonly now: number;
  readonly processes: number;
}

export interface AcquireReply extends Omit<SyncReply, "processes"> {
  readonly admitted: boolean;
  /** For each limit that was asked for: what was taken before, and milliseconds until there is room, or nothing counts. */
  readonly used: readonly number[];
  readonly waits: readonly number[];
  readonly resets: readonly number[];
}

/** Where the limits of several processes are counted together. */
export interface LimitStore {
  readonly connected: boolean;
  /** All limits are taken or none. Rejects where the house does not answer. */
  take(process: string, asks: readonly LimitRequest[]): Promise<AcquireReply>;
  /** Says as well that the process lives. */
  tell(process: string, changes: readonly Change[]): Promise<SyncReply>;
  /** The process counts no more, and neither do its calls. */
  leave(process: string): Promise<unknown>;
}
