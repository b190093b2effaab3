import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";

// One Ctrl-C reaches the launcher twice under `npm start`: from the terminal and forwarded by npm.
const sameSignalMs = 300;

/** What the runtime is told, unless the environment says otherwise. */
export const RUNTIME_ENV = {
  // By default all but 256 calls to upstreams are held back.
  BUN_CONFIG_MAX_HTTP_REQUESTS: "65336",
  // Memory that is free goes back to the system after a second of rest: doing it at once takes 15 of 190 µs of a call.
  MIMALLOC_PURGE_DELAY: "1000",
};

/**
 * Runs a program, such as Bun with a script, and answers with its exit code (128 + n when signal n ended it).
 *
 * The child leads a process group of its own, so that every signal comes through here and arrives once; Bun's
 * no-orphans switch ends it when the launcher is killed outright.
 */
export function launch({ program: [file, ...before], args, startedAt = Date.now(), command }) {
  const running = { child: null };
  // Set up first: a signal that comes right behind the program's start must not end the launcher alone.
  const stopForwarding = forwardSignals(running);
  const child = spawn(file, [...before, ...args], {
    stdio: "inherit",
    detached: process.platform !== "win32",
    env: {
      ...RUNTIME_ENV,
      BUN_FEATURE_FLAG_NO_ORPHANS: "1",
      ...process.env,
      ...(startedAt === null ? {} : { TURNPIKE_STARTED_AT: String(startedAt) }),
      // What a person types to call the program once more: hints name it.
      ...(command === undefined ? {} : { TURNPIKE_COMMAND: command }),
    },
  });
  running.child = child;
  return new Promise((resolve) => {
    child.once("error", (error) => {
      stopForwarding();
      console.error(`${file} could not be started (${error.message}). Delete node_modules and dist, and start again.`);
      resolve(1);
    });
    child.once("exit", (code, signal) => {
      stopForwarding();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

// A closed terminal hangs up on its programs; to the server that signal means "read the configuration again".
const hadTerminal = process.stdout.isTTY === true;

function terminalIsGone() {
  if (!hadTerminal) return false;
  try {
    closeSync(openSync("/dev/tty", "r"));
    return false;
  } catch {
    return true;
  }
}

function forwardSignals(running) {
  const send = (signal) => running.child?.kill(signal);
  const forwardedAt = new Map();
  const forwardOnce = (signal) => {
    const now = performance.now();
    if (now - (forwardedAt.get(signal) ?? Number.NEGATIVE_INFINITY) < sameSignalMs) return;
    forwardedAt.set(signal, now);
    send(signal);
  };
  const handlers = {
    SIGINT: forwardOnce,
    SIGTERM: forwardOnce,
    SIGHUP: () => forwardOnce(terminalIsGone() ? "SIGTERM" : "SIGHUP"),
    SIGWINCH: () => send("SIGWINCH"),
    SIGCONT: () => send("SIGCONT"),
    SIGTSTP: () => {
      send("SIGSTOP");
      process.kill(process.pid, "SIGSTOP");
    },
  };
  if (process.platform === "win32") {
    for (const signal of ["SIGWINCH", "SIGCONT", "SIGTSTP"]) delete handlers[signal];
  }
  for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of Object.entries(handlers)) process.off(signal, handler);
  };
}
