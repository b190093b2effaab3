import { readingQueueOver } from "../files/reading/queue-link.ts";
import type { ReadingQueue } from "../files/reading/reading-queue.ts";
import type { Link } from "../lib/link.ts";
import type { LimitStore } from "../limits/limit-store.ts";
import { ALIVE, BEGIN, OTHERS_SERVE, type Place, SERVING } from "../workers/supervisor.ts";
import { LinkedSiblings, linkToSupervisor, type WorkerBus } from "../workers/worker-bus.ts";
import { remoteConfig, type SharedConfig } from "./config-link.ts";
import { remoteLimitStore } from "./limit-link.ts";
import { type SharedMetrics, sharedMetricsOver } from "./metrics-link.ts";

/** Set by a supervisor for the processes that it starts: the number of the worker. */
export const WORKER_NUMBER = "TURNPIKE_WORKER";

/** What a process has of the supervisor that started it. */
export interface WorkerSide {
  readonly number: number;
  readonly workerBus: WorkerBus;
  readonly limits: LimitStore;
  readonly config: SharedConfig;
  readonly metrics: SharedMetrics;
  readonly reading: ReadingQueue;
  /** Waits for this worker's turn to begin; null when the server is stopping. */
  begin(): Promise<Place | null>;
  /** Whether calls are answered though this worker does not listen. False when the supervisor is gone. */
  othersServe(): Promise<boolean>;
  /** The worker answers calls on this port. */
  serving(port: number): Promise<void>;
}

/** Null where nobody supervises this process: the variable alone makes no worker. */
export function joinSupervisor(env: NodeJS.ProcessEnv): WorkerSide | null {
  const number = Number(env[WORKER_NUMBER]);
  if (!Number.isInteger(number) || process.send === undefined) return null;
  const link: Link = linkToSupervisor();
  link.on(ALIVE, () => null);
  return {
    number,
    workerBus: new LinkedSiblings(link),
    limits: remoteLimitStore(link),
    config: remoteConfig(link),
    metrics: sharedMetricsOver(link),
    reading: readingQueueOver(link),
    begin: () => link.call<Place | null>(BEGIN, []),
    othersServe: () => link.call<boolean>(OTHERS_SERVE, []).catch(() => false),
    serving: (port) => link.call<void>(SERVING, [port]),
  };
}
