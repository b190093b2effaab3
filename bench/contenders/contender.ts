import type { Workload } from "../workloads.ts";

/** A gateway, or what stands in for one, that is running. */
export interface Running {
  readonly port: number;
  /** Whose time is counted, with their children. Null where it is not ours to look at. */
  readonly pid: number | null;
  readonly headers: (dialect: Workload["dialect"]) => Readonly<Record<string, string>>;
  readonly model: (dialect: Workload["dialect"]) => string;
  /** More keys than the one of the headers, by header name; empty where it has none. */
  readonly keys?: readonly string[];
  /** Milliseconds from its start to its first answered call, on a folder that was used before. */
  readonly startMs?: number;
  stop(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** What is switched on. */
  readonly about: string;
  readonly serves: (workload: Workload) => boolean;
  /** Null with a reason where it cannot be had here. */
  start(upstream: string): Promise<Running | { readonly absent: string }>;
}

export const isRunning = (started: Running | { readonly absent: string }): started is Running => "port" in started;
