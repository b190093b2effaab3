import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, root } from "./ensure-installed.mjs";
import { startProgress } from "./progress.mjs";

const webFolder = join(root, "web");

/** What the pages are made from; everything else in the folder is made. */
const sources = ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "public", "src"];
const stampName = ".turnpike-built.json";

/** Installs the packages of the pages when they are missing; answers with what went wrong, or null. */
export async function ensureWebInstalled(folder = webFolder) {
  const isDone = () => isInstalled(folder, { withDev: false });
  if (isDone()) return null;
  const { tryInstall } = await import("./install.mjs");
  return tryInstall({ root: folder, withDev: false, isDone, what: "packages of the pages" });
}

/**
 * Builds the pages when they are not what the sources say. The server works without them, so nothing here ends the start:
 * the answer is what went wrong, or null.
 */
export async function ensureWeb(folder = webFolder) {
  const stamp = stampOf(folder);
  if (isBuilt(folder, stamp)) return null;
  const obstacle = await ensureWebInstalled(folder);
  if (obstacle !== null) return obstacle;
  const progress = startProgress("Building the pages");
  const fresh = join(folder, `dist-${process.pid}`);
  try {
    const { code, output } = await runVite(folder, fresh);
    if (code !== 0) {
      progress.fail("The pages could not be built");
      return output.trimEnd();
    }
    writeFileSync(join(fresh, stampName), `${JSON.stringify({ stamp })}\n`);
    swap(folder, fresh);
    progress.done("Built the pages");
    return null;
  } catch (error) {
    progress.fail("The pages could not be built");
    return error.message;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** A hash over the names and contents of all sources. */
export function stampOf(folder) {
  const hash = createHash("sha256");
  for (const name of sources.flatMap((source) => filesOf(folder, source)).sort()) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update("\0");
  }
  return hash.digest("hex");
}

export function isBuilt(folder, stamp) {
  try {
    return JSON.parse(readFileSync(join(folder, "dist", stampName), "utf8")).stamp === stamp;
  } catch {
    return false;
  }
}

function filesOf(folder, name) {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  try {
    return readdirSync(path).flatMap((entry) => filesOf(folder, join(name, entry)));
  } catch (error) {
    if (error.code === "ENOTDIR") return [name];
    throw error;
  }
}

function runVite(folder, outDir) {
  mkdirSync(outDir, { recursive: true });
  const vite = join(folder, "node_modules", "vite", "bin", "vite.js");
  const args = [vite, "build", "--outDir", outDir, "--emptyOutDir", "--logLevel", "warn"];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

/** Another start may have done the same meanwhile: whichever is last, the result is whole. */
function swap(folder, fresh) {
  const [dist, old] = [join(folder, "dist"), `${fresh}-old`];
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}
