import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBun } from "./find-bun.mjs";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const stampPath = (folder) => join(folder, "node_modules", ".turnpike-installed.json");

/**
 * Installs the packages when they are missing or older than the lock file, and answers with the path of Bun.
 *
 * To run the server the production packages are enough; the tests and checks need the others as well.
 */
export async function ensureInstalled({ purpose }) {
  const withDev = purpose === "develop";
  if (isInstalled(root, { withDev })) {
    const bun = findBun(root);
    if (bun !== null) return bun;
  }
  const { install } = await import("./install.mjs");
  await install({
    root,
    withDev: withDev || !productionOnly(process.env),
    isDone: () => isInstalled(root, { withDev }) && findBun(root) !== null,
  });
  const bun = findBun(root);
  if (bun !== null) return bun;
  console.error(`The packages are installed, but there is no Bun for ${process.platform} ${process.arch} among them.`);
  console.error(
    "Turnpike runs on Linux (x64 and arm64). If npm left optional packages out, allow them and start again.",
  );
  process.exit(1);
}

function productionOnly(env) {
  return env.NODE_ENV === "production" || (env.npm_config_omit ?? "").split(/[\s,]+/).includes("dev");
}

/** Whether what lies in node_modules is what the lock file asks for, on this platform. */
export function isInstalled(folder, { withDev }) {
  const stamp = readJson(stampPath(folder));
  if (stamp?.lock === lockHash(folder) && stamp.platform === platformName()) {
    if (stamp.withDev || !withDev) return true;
  }
  const found = packagesPresent(folder);
  if (!found.production || (withDev && !found.dev)) return false;
  writeStamp(folder, { withDev: found.dev });
  return true;
}

/** Compares npm's own record of what it installed with the lock file: a plain `npm install` is as good as ours. */
function packagesPresent(folder) {
  const installed = readJson(join(folder, "node_modules", ".package-lock.json"))?.packages;
  const locked = readJson(join(folder, "package-lock.json"))?.packages;
  const present = { production: false, dev: false };
  if (installed === undefined || locked === undefined) return present;
  present.production = true;
  present.dev = true;
  for (const [path, wanted] of Object.entries(locked)) {
    if (path === "" || !fitsPlatform(wanted)) continue;
    if (installed[path]?.version === wanted.version && existsSync(join(folder, path))) continue;
    present.dev = false;
    if (!wanted.dev) present.production = false;
  }
  return present;
}

/** How many packages an install brings, for the progress line. */
export function countPackages(folder, { withDev }) {
  const locked = readJson(join(folder, "package-lock.json"))?.packages ?? {};
  return Object.entries(locked).filter(([path, entry]) => path !== "" && fitsPlatform(entry) && (withDev || !entry.dev))
    .length;
}

function fitsPlatform({ os, cpu, libc }) {
  const fits = (list, value) => list === undefined || list.includes(value);
  return (
    fits(os, process.platform) && fits(cpu, process.arch) && (process.platform !== "linux" || fits(libc, libcName()))
  );
}

export function writeStamp(folder, { withDev }) {
  const stamp = { lock: lockHash(folder), platform: platformName(), withDev };
  try {
    writeFileSync(stampPath(folder), `${JSON.stringify(stamp)}\n`);
  } catch {
    // A read-only installation is compared package by package at each start instead, which takes milliseconds.
  }
}

function platformName() {
  return [process.platform, process.arch, ...(process.platform === "linux" ? [libcName()] : [])].join("-");
}

function libcName() {
  return existsSync("/etc/alpine-release") ? "musl" : "glibc";
}

function lockHash(folder) {
  const lock = join(folder, "package-lock.json");
  return existsSync(lock) ? createHash("sha256").update(readFileSync(lock)).digest("hex") : "no lock file";
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
