import { spawn } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { startProgress } from "./progress.mjs";

// The real servers, and the browser, that tests start for themselves, each with a private folder.
const services = [
  { name: "PostgreSQL", package: "postgresql", find: findPostgres },
  { name: "Redis", package: "redis-server", find: findRedis },
  { name: "Chromium", package: "chromium-headless-shell", find: findChromium },
];

/** Installs the servers that are missing where that is possible, and says which tests will be skipped where it is not. */
export async function ensureServices() {
  const missing = services.filter((service) => service.find() === null);
  if (missing.length === 0) return;
  const names = missing.map((service) => service.name).join(" and ");
  const obstacle =
    installObstacle() ??
    (await aptInstall(
      missing.map((service) => service.package),
      names,
    ));
  for (const service of missing) {
    if (service.find() === null) {
      console.log(
        `skip: ${service.name} cannot be had (${obstacle ?? "the package brought nothing"}); its tests are skipped`,
      );
    }
  }
}

function findPostgres() {
  const versions = "/usr/lib/postgresql";
  const packaged = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, "bin"))
    : [];
  return findProgram(["postgres"], [...searchPath(), ...packaged]);
}

export function findRedis() {
  return findProgram(["redis-server", "valkey-server"], searchPath());
}

function findChromium() {
  return findProgram(["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"], searchPath());
}

function searchPath() {
  return [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/bin", "/usr/sbin", "/usr/local/bin"];
}

function findProgram(names, folders) {
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable) ?? null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function installObstacle() {
  if (findProgram(["apt-get"], searchPath()) === null) return "not installed, and there is no apt-get here";
  if (process.getuid?.() !== 0) return "not installed, and only root can install it";
  return null;
}

/** Answers with what went wrong, or null. */
async function aptInstall(packages, names) {
  const progress = startProgress(`Installing ${names} for the tests: reading the package lists`);
  const allowServices = forbidServiceStarts();
  try {
    const update = await aptGet(["update"]);
    progress.update(`Installing ${names} for the tests: apt-get install ${packages.join(" ")}`);
    const install = await aptGet(["install", "-y", "--no-install-recommends", ...packages]);
    if (install.code === 0) {
      progress.done(`Installed ${names} for the tests`);
      return null;
    }
    progress.fail(`${names} could not be installed`);
    return `apt-get: ${lastError(install.output) ?? lastError(update.output) ?? `exit code ${install.code}`}`;
  } finally {
    allowServices();
  }
}

function aptGet(args) {
  const options = [
    "-q",
    "-o",
    "Acquire::http::Timeout=20",
    "-o",
    "Acquire::Retries=1",
    "-o",
    "DPkg::Lock::Timeout=120",
  ];
  const child = spawn("apt-get", [...options, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: `E: ${error.message}` }));
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

function lastError(output) {
  return output
    .match(/^E: .*$/gm)
    ?.at(-1)
    ?.slice(3);
}

/** Debian's packages start their server when installed; tests start their own, so that is forbidden for the while. */
export function forbidServiceStarts(policy = "/usr/sbin/policy-rc.d") {
  if (existsSync(policy)) return () => {};
  writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  const remove = () => rmSync(policy, { force: true });
  const removeAndLeave = () => {
    remove();
    process.exit(130);
  };
  process.once("exit", remove).once("SIGINT", removeAndLeave).once("SIGTERM", removeAndLeave);
  return () => {
    remove();
    process.off("exit", remove).off("SIGINT", removeAndLeave).off("SIGTERM", removeAndLeave);
  };
}
