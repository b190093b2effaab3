import { ownProgram } from "../lib/own-program.ts";
import type { FromHost, Spawn, ToHost } from "../training/hosting/job.ts";
import { TRAINING_COMMAND } from "./program.ts";

/** What the runtime and name resolution need; none of the server's own variables, which may hold secrets. */
const PASSED = /^(PATH|HOME|TMPDIR|LANG|LC_\w+|TZ|BUN_\w+|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|(HTTPS?|NO)_PROXY)$/i;

/** A run is carried out by a process of its own: what it computes and holds is none of the server's. */
export const spawnTraining: Spawn = (job, hear) => {
  const child = Bun.spawn(ownProgram([TRAINING_COMMAND]), {
    stdio: ["ignore", "ignore", "inherit"],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name))),
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
