import type { Config } from "../config/config.ts";
import type { ConfigTexts } from "../config/load.ts";
import { offerReading } from "../files/reading/queue-link.ts";
import { FairReadingQueue } from "../files/reading/reading-queue.ts";
import { newId } from "../lib/ids.ts";
import type { Frame } from "../lib/link.ts";
import type { Logger } from "../lib/log.ts";
import { ownProgram } from "../lib/own-program.ts";
import { MemoryLimitStore } from "../limits/memory-limit-store.ts";
import { Supervisor, type WorkerProcess } from "../workers/supervisor.ts";
import { KeptConfig } from "./config-link.ts";
import { loadSecrets, lockData } from "./data-folder.ts";
import { offerLimits } from "./limit-link.ts";
import { KeptMetrics } from "./metrics-link.ts";
import { WORKER_NUMBER } from "./worker-side.ts";

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** The life of a server of several processes: this one holds the data folder and counts limits, the others serve. */
export async function supervise(config: Config, texts: ConfigTexts, log: Logger): Promise<number> {
  const lock = lockData(config);
  // While all workers are gone for a moment nothing else keeps this process here.
  const stay = setInterval(() => undefined, 60_000);
  try {
    // Before any worker looks for them: two that begin at once would each make their own.
    loadSecrets(config);
    const store = new MemoryLimitStore(newId(), () => performance.now());
    const reading = new FairReadingQueue(() => performance.now());
    const kept = new KeptConfig(texts);
    const metrics = new KeptMetrics();
    const supervisor = new Supervisor({
      count: config.server.workers,
      spawn: spawnWorker,
      offer(link) {
        kept.offer(link);
        const leave = [offerLimits(store, link), metrics.offer(link), offerReading(reading, link)];
        return () => {
          for (const one of leave) one();
        };
      },
      log,
    });
    for (const signal of SIGNALS) process.on(signal, () => supervisor.signal(signal));
    return await supervisor.run();
  } finally {
    clearInterval(stay);
    lock.release();
  }
}

/** The same program with the same arguments; what it prints goes where this process prints. */
function spawnWorker(number: number, receive: (frames: readonly Frame[]) => void): WorkerProcess {
  const child = Bun.spawn(ownProgram(process.argv.slice(2), process.execArgv), {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, [WORKER_NUMBER]: String(number) },
    serialization: "json",
    ipc: (frames) => receive(frames as readonly Frame[]),
  });
  return {
    pid: child.pid,
    send: (frames) => child.send(frames),
    kill: (signal) => child.kill(signal),
    exited: child.exited,
  };
}
