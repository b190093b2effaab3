import { readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { systemClock } from "../lib/clock.ts";
import { Coordinator } from "../training/coordinator/coordinator.ts";
import type { Send } from "../training/coordinator/participant-client.ts";
import { RunError } from "../training/coordinator/run-error.ts";
import { type RoundRecord, RunFolder } from "../training/coordinator/run-folder.ts";
import { hostedPlan, readPlace } from "../training/hosting/hosted-plan.ts";
import type { FromHost, Job, ToHost } from "../training/hosting/job.ts";
import { lackOfRoom } from "../training/hosting/room.ts";
import { participantTransport } from "./participant-door.ts";

/**
 * A process that carries out one training run for a server. It hears what to do over its channel, and ends when the channel does
 * or when nobody has told it for a while that the run is still its own.
 */
const tell = (message: ToHost): void => {
  process.send?.(message);
};
const NICENESS = 10;
let watchdog: ReturnType<typeof setTimeout> | undefined;
let leaseMs = 0;
const stay = (): void => {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => process.exit(1), leaseMs);
};

process.umask(0o077);
// Calls of models come first where both want the same cores.
try {
  setPriority(NICENESS);
} catch {}
// Where memory runs out the kernel shall end this process, which is started again, and not the server.
try {
  writeFileSync("/proc/self/oom_score_adj", "1000");
} catch {}
// The server ends this process; a terminal's Ctrl-C, which reaches both, must not be quicker.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
process.on("disconnect", () => process.exit(0));
process.on("message", (message: FromHost) => {
  if (message.kind === "begin") {
    leaseMs = message.job.leaseMs;
    void begin(message.job);
  } else tell({ kind: "here" });
  stay();
});

async function begin(job: Job): Promise<void> {
  try {
    tell({ kind: "end", paused: await carryOut(job) });
  } catch (thrown) {
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    // An organization reads it, and where the server keeps its files is none of its business.
    const reason = words.replaceAll(job.folder, "the run's folder");
    // What a run cannot go on with is the same at the next try.
    tell(thrown instanceof RunError ? { kind: "end", paused: reason } : { kind: "failed", reason });
  }
}

async function carryOut({ runId, folder: path, plan, hasInitial, roundsDone, ...job }: Job): Promise<string | null> {
  const folder = new RunFolder(path, () => requireRoom(path, job.keepFreeMb));
  const finished = folder.rounds();
  if (finished.length < roundsDone) return `the run's folder has ${finished.length} of its ${roundsDone} rounds`;
  for (const record of finished.slice(roundsDone)) tell({ kind: "round", record });
  const coordinator = new Coordinator({
    plan: hostedPlan(plan, hasInitial),
    folder,
    clock: systemClock,
    tokens: {},
    initial: hasInitial ? readFileSync(join(path, "initial")) : null,
    tell: (record: RoundRecord) => tell({ kind: "round", record }),
    runId,
    send: sendTo(job),
  });
  return (await coordinator.run()).paused;
}

function requireRoom(path: string, keepFreeMb: number): void {
  const lack = lackOfRoom(path, keepFreeMb);
  if (lack !== null) throw new RunError(lack);
}

/** Calls go to where participants are now, with their tokens; the coordinator knows neither. */
function sendTo({ participants, allowPrivate }: Pick<Job, "participants" | "allowPrivate">): Send {
  const door = participantTransport(allowPrivate);
  const known = new Map(participants.map((one) => [one.name, one]));
  return (url, init) => {
    const { name, path } = readPlace(url);
    const participant = known.get(name);
    if (!participant) throw new Error("it is not registered any more");
    const { url: base, token } = participant;
    const headers = { ...(init.headers as Record<string, string>) };
    if (token !== null) headers.authorization = `Bearer ${token}`;
    return door(base + path, { ...init, headers });
  };
}
