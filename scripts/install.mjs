import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { countPackages, writeStamp } from "./ensure-installed.mjs";
import { startProgress } from "./progress.mjs";

/** Runs `npm ci` once, however many starts ask for it at the same time; ends the process with a reason when it fails. */
export async function install({ root, withDev, isDone }) {
  const problem = await tryInstall({ root, withDev, isDone, what: "packages" });
  if (problem === null) return;
  console.error(problem);
  process.exit(1);
}

/** The same, but answers with the reason; null when all is well. */
export async function tryInstall({ root, withDev, isDone, what }) {
  const release = await takeInstallLock(root);
  try {
    if (isDone()) return null;
    const obstacle = writeObstacle(root);
    if (obstacle !== null) return obstacle;
    const total = countPackages(root, { withDev });
    const progress = startProgress(`Installing ${what} (the first start only)`);
    const result = await runNpmCi({ root, withDev }, ({ fetched, trouble }) => {
      const counted = `${Math.min(fetched, total)} of ${total} packages fetched`;
      progress.update(
        trouble === null ? counted : `${counted}; the registry does not answer (${trouble}), trying again`,
      );
    });
    if (result.code === 0) {
      writeStamp(root, { withDev });
      progress.done(`Installed ${total} ${what}`);
      return null;
    }
    progress.fail(`The ${what} could not be installed`);
    return `${shortenNpmOutput(result.output)}\n\n${installAdvice(result.output)}`;
  } finally {
    release();
  }
}

function runNpmCi({ root, withDev }, onProgress) {
  const args = ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--no-progress"];
  // By default npm takes over a minute to give up on a registry that refuses.
  args.push("--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=8000");
  args.push("--loglevel=http", withDev ? "--include=dev" : "--omit=dev");
  const [command, ...before] = npmCommand(process.env);
  const child = spawn(command, [...before, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const stop = (signal) => {
    child.kill(signal);
    console.error("\nBroken off; the next start installs the packages again.");
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);

  let fetched = 0;
  let rest = "";
  const kept = [];
  const read = (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("npm http ")) {
        kept.push(line);
        continue;
      }
      const trouble = / attempt \d+ failed with (\S+)/.exec(line)?.[1] ?? null;
      if (trouble === null && line.includes(".tgz")) fetched++;
      onProgress({ fetched, trouble });
    }
  };
  child.stdout.setEncoding("utf8").on("data", read);
  child.stderr.setEncoding("utf8").on("data", read);

  return new Promise((resolve) => {
    const finish = (code, output) => {
      process.off("SIGINT", stop).off("SIGTERM", stop);
      resolve({ code, output });
    };
    child.once("error", (error) => finish(1, `npm could not be started: ${error.message}`));
    child.once("close", (code) => finish(code ?? 1, [...kept, rest].join("\n")));
  });
}

function npmCommand(env) {
  // Under `npm start` this is the npm that the person called, which need not be the first on the PATH.
  const running = env.npm_execpath ?? "";
  return /npm-cli\.c?js$/.test(running) && existsSync(running) ? [process.execPath, running] : ["npm"];
}

/** The error itself, without npm's warnings, its stack and the manual page that follows a usage error. */
export function shortenNpmOutput(output) {
  const [text = ""] = output.split("npm error Clean install a project");
  const noise = /^\s*$|^npm warn|^npm error( {2,}.*|\s*\}?)$/;
  return text
    .split("\n")
    .filter((line) => !noise.test(line))
    .join("\n");
}

/** What a person can do about a failed install, from what npm said. */
export function installAdvice(output) {
  const advice = [
    [/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED/, offlineAdvice],
    [/EACCES|EPERM|EROFS/, "npm may not write here: give this user the folder, or start as the user who owns it."],
    [/ENOSPC/, "The disk is full: make room (about 400 MB) and start again."],
    [/EUSAGE|in sync/, "package.json and package-lock.json disagree: run `npm install` once, then start again."],
    [/could not be started/, "npm was not found: install it (it comes with Node) and start again."],
    [
      /E40[13]/,
      "The package registry refused the request: check the registry and its token in your npm configuration.",
    ],
  ];
  const found = advice.find(([pattern]) => pattern.test(output));
  return found?.[1] ?? "Once the cause is fixed, start again; `npm ci` in this folder shows the same error in full.";
}

const offlineAdvice =
  "The package registry could not be reached: check the network (or the proxy and registry in your npm configuration) and start again.";

function writeObstacle(root) {
  const modules = join(root, "node_modules");
  const folder = existsSync(modules) ? modules : root;
  try {
    accessSync(folder, constants.W_OK);
    return null;
  } catch {
    return (
      `Packages must be installed, but this user cannot write to ${folder}.\n` +
      "Run `npm ci` there as a user who can, then start again."
    );
  }
}

/**
 * Holds a name that only one process can hold, and waits for it when another start has it. The kernel lets go of an
 * abstract socket when its process ends, so no stale lock can stay behind; other systems than Linux go without.
 */
async function takeInstallLock(root) {
  if (process.platform !== "linux") return () => {};
  const name = `\0turnpike-install-${createHash("sha256").update(root).digest("hex").slice(0, 32)}`;
  let waiting = null;
  for (;;) {
    const server = await listen(name);
    if (server !== "taken") {
      waiting?.done("The other start has finished installing");
      return () => server?.close();
    }
    waiting ??= startProgress("Another start is installing the packages; waiting for it");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function listen(name) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(error.code === "EADDRINUSE" ? "taken" : null));
    server.listen(name, () => resolve(server.unref()));
  });
}
