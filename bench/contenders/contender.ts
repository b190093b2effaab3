import type { Workload } from "../workloads.ts";

/** The time from the start of a process to its first successful call, and its memory while it is idle after it. */
export interface Start {
  readonly ms: number;
  readonly idleMb: number;
}

/** A running gateway, or a program that is measured next to the gateways. */
export interface Running {
  readonly port: number;
  /** The process whose time and memory are measured, with its descendants. Null when they cannot be measured. */
  readonly pid: number | null;
  readonly headers: (dialect: Workload["dialect"]) => Readonly<Record<string, string>>;
  readonly model: (dialect: Workload["dialect"]) => string;
  /** Further keys, for workloads of many keys. */
  readonly keys?: readonly string[];
  /** Every start that was timed, in a folder that was used before. */
  readonly starts?: readonly Start[];
  /** A path that needs neither a key nor the upstream. */
  readonly pingPath?: string;
  stop(): Promise<void>;
}

/** A contender that could not be started. The log is for the console: it may contain paths of the machine. */
export interface Absent {
  readonly absent: string;
  readonly log?: string;
}

export interface Contender {
  readonly name: string;
  /** The features that are on. */
  readonly about: string;
  readonly serves: (workload: Workload) => boolean;
  /** Starts it up to `starts` times to time its start, and leaves it running. */
  start(upstream: string, starts: number): Promise<Running | Absent>;
}

export const isRunning = (started: Running | Absent): started is Running => "port" in started;
