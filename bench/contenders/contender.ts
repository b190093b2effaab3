import type { Workload } from "../workloads.ts";

/** From the start of the process to its first answered call, and what it then takes while nobody calls. */
export interface Start {
  readonly ms: number;
  readonly idleMb: number;
}

/** A gateway, or what stands in for one, that is running. */
export interface Running {
  readonly port: number;
  /** Whose time is counted, with their children. Null where it is not ours to look at. */
  readonly pid: number | null;
  readonly headers: (dialect: Workload["dialect"]) => Readonly<Record<string, string>>;
  readonly model: (dialect: Workload["dialect"]) => string;
  /** More keys than the one of the headers, by header name; empty where it has none. */
  readonly keys?: readonly string[];
  /** Every start that was timed, on a folder that was used before. */
  readonly starts?: readonly Start[];
  /** What can be asked of it without a key and without an upstream. */
  readonly pingPath?: string;
  stop(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** What is switched on. */
  readonly about: string;
  readonly serves: (workload: Workload) => boolean;
  /** Started so many times over at most, to time it, and then left running; absent with a reason where it cannot be had. */
  start(upstream: string, starts: number): Promise<Running | { readonly absent: string }>;
}

export const isRunning = (started: Running | { readonly absent: string }): started is Running => "port" in started;
