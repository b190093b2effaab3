/** What is counted: calls and tokens of the last minute, and calls that run now. */
export type Counted = "requests" | "tokens" | "parallel";

/** One limit of one owner. Made once and shared by all calls that it applies to. */
export interface Meter {
  /** The same in every process, and different from that of any other limit. */
  readonly id: string;
  readonly counted: Counted;
  readonly limit: number;
  /** Whose limit it is, for whoever tells of it; nothing is decided by it. */
  readonly owner: MeterOwner;
  /** Null for limits that callers are not told about. */
  readonly headers: MeterHeaders | null;
}

/** By what an answer tells of a limit: names of headers, and the limit as it is written there. */
export interface MeterHeaders {
  readonly limit: string;
  readonly limitText: string;
  readonly remaining: string;
  readonly ofModel: string | null;
}

export interface MeterOwner {
  /** Such as `key` or `deployment`. */
  readonly scope: string;
  /** The group of models that the limit is for; null: any. */
  readonly model: string | null;
}

/** What is left of a limit once a call was let in, or was not. */
export interface MeterState {
  readonly meter: Meter;
  readonly remaining: number;
  /** Until all of it is there again, if nothing else is taken. */
  readonly resetMs: number;
}

/** A call that was let in: its place in every limit that applies to it. */
export interface Permit {
  readonly admitted: true;
  readonly states: readonly MeterState[];
  /**
   * Ends the call. What it took of tokens is set right by what it used; null leaves the estimate. Once is enough. A promise
   * where others have to hear of what is free again: until then nobody else would get it.
   */
  end(tokensUsed: number | null): Promise<unknown> | null;
}

/** A call that was not let in; nothing was taken for it from any limit. */
export interface Refusal {
  readonly admitted: false;
  readonly states: readonly MeterState[];
  /** The limit that holds it up longest. */
  readonly meter: Meter;
  /** Whoever waits this long finds room, unless others take it. */
  readonly retryMs: number;
}

export type Decision = Permit | Refusal;

export interface Limiter {
  /** Decides all limits of a call together: all are taken or none. Without a promise where nothing has to be asked. */
  take(meters: readonly Meter[], tokens: number): Decision | Promise<Decision>;
  /** Milliseconds until a call would be let in, as far as that is known without asking anybody; takes nothing. */
  roomInMs(meters: readonly Meter[], tokens: number): number;
}

const NO_STATES: readonly MeterState[] = [];

/** For calls without any limit: one for all of them. */
export const UNLIMITED: Permit = { admitted: true, states: NO_STATES, end: () => null };

/**
 * What a call takes. One that asks for more tokens than the whole limit would never get through: it takes all of it, and
 * goes when nothing else runs.
 */
export const amountOf = (meter: Meter, tokens: number): number =>
  meter.counted === "tokens" ? Math.min(Math.max(1, Math.ceil(tokens)), meter.limit) : 1;

/** A place of a running call is free when the call ends, which nobody can know: worth asking again after this. */
export const PARALLEL_RETRY_MS = 1000;
