import { ownProgram, passedEnvironment } from "../lib/own-program.ts";
import type { FromHost, Spawn, ToHost } from "../training/hosting/job.ts";
import { TRAINING_COMMAND } from "./program.ts";

/** A run is carried out by a process of its own: what it computes and holds is none of the server's. */
export const spawnTraining: Spawn = (job, hear) => {
  const child = Bun.spawn(ownProgram([TRAINING_COMMAND]), {
    stdio: ["ignore", "ignore", "inherit"],
    env: passedEnvironment(),
    serialization: "json",
    ipc: (message) => hear(message as ToHost),
  });
  // A channel that is gone is seen by the end of the process.
  const send = (message: FromHost): void => {
    try {
      child.send(message);
    } catch {}
  };
  send({ kind: "begin", job });
  return {
    held: () => send({ kind: "held" }),
    kill: () => child.kill("SIGKILL"),
    exited: child.exited.then((code) => child.exitCode ?? code),
  };
};
