import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProgress } from "./progress.mjs";

/** Who goes back to the version before has it at once. */
const keptImages = 2;
const brokenOffMs = 3_600_000;

/**
 * The command that starts the program: one executable with Bun, everything from two thousand files and their bytecode in it,
 * which takes a fifth of the CPU time of a start (870 to 170 ms) and 20 MB off each process. It is made anew when sources
 * or packages have changed, in some seconds; where it cannot be made or may not be, Bun runs the sources. They are the same program.
 */
export async function ensureImage({ root, bun, mayBuild }) {
  const sources = [bun, join(root, "src", "main.ts")];
  const images = join(root, "dist");
  // The last part is what a list of processes shows.
  const image = join(images, stampOf(root, bun), "turnpike");
  if (existsSync(image)) return [image];
  if (!mayBuild) return sources;
  try {
    mkdirSync(images, { recursive: true });
    const fresh = mkdtempSync(join(images, "new-"));
    const clear = () => rmSync(fresh, { recursive: true, force: true });
    const ended = new AbortController();
    const stopHeeding = onSignals((code) => {
      ended.abort();
      clear();
      process.exit(code);
    });
    try {
      const built = await build({ root, bun, fresh, signal: ended.signal });
      if (built === null) return sources;
      mkdirSync(dirname(image), { recursive: true });
      // Another start may have been faster: its image is the same.
      renameSync(built, image);
    } finally {
      stopHeeding();
      clear();
    }
    removeOld(images);
    return [image];
  } catch (error) {
    if (existsSync(image)) return [image];
    // Such as a folder that may not be written to.
    console.error(`The sources are started, which takes longer: ${error.message}`);
    return sources;
  }
}

function onSignals(heed) {
  const handlers = ["SIGINT", "SIGTERM", "SIGHUP"].map((name) => [name, () => heed(128 + constants.signals[name])]);
  for (const [name, handler] of handlers) process.once(name, handler);
  return () => {
    for (const [name, handler] of handlers) process.off(name, handler);
  };
}

/** Names, sizes and times of all that goes into an image, in 10 ms: reading the contents would take as long as it saves. */
function stampOf(root, bun) {
  const others = [bun, fileURLToPath(import.meta.url), join(root, "package.json"), join(root, "package-lock.json")];
  const paths = [...others.filter((path) => existsSync(path)), ...sourcesIn(join(root, "src"))];
  const told = paths.sort().map((path) => {
    const { size, mtimeMs } = statSync(path);
    return `${path} ${size} ${mtimeMs}`;
  });
  return createHash("sha256").update(told.join("\n")).digest("hex").slice(0, 16);
}

/** Twice as fast as one `readdir` of everything. */
function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesIn(path);
    return entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts") ? [path] : [];
  });
}

/** The executable, or null where it could not be made. */
async function build({ root, bun, fresh, signal }) {
  const threads = sourcesIn(join(root, "src")).filter((path) => /[/-]worker\.ts$/.test(path));
  const image = join(fresh, "turnpike");
  const args = ["build", join(root, "src", "main.ts"), ...threads, "--compile", "--outfile", image];
  // What is seldom needed stays a module of its own, threads among them, found by their names alone.
  args.push("--target=bun", "--format=esm", "--splitting", "--entry-naming=[name].[ext]", "--bytecode");
  // Modules of other people, such as guardrails and participants, find their packages as they would when Bun ran them.
  args.push("--compile-autoload-package-json", "--compile-autoload-tsconfig");
  // A fifth less to read; with the maps, which are looked at when something fails, traces still name the sources.
  args.push("--minify-whitespace", "--minify-syntax", "--sourcemap=linked");
  args.push("--define", `process.env.TURNPIKE_ROOT=${JSON.stringify(root)}`);
  const progress = startProgress("Putting the program together");
  // Where Bun puts what it has half made.
  const child = spawn(bun, args, { cwd: fresh, stdio: "ignore", signal });
  const code = await new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  if (code === 0 && existsSync(image)) {
    progress.done("Put the program together");
    return image;
  }
  progress.fail("The program could not be put together; its sources are started, which takes longer");
  return null;
}

/** What a start that was broken off has left behind goes as well, once no other can still be at it. */
function removeOld(images) {
  const byAge = readdirSync(images)
    .map((name) => ({ path: join(images, name), isDone: !name.startsWith("new-") }))
    .map((one) => ({ ...one, madeAt: madeAt(one.isDone ? join(one.path, "turnpike") : one.path) }))
    .sort((a, b) => b.madeAt - a.madeAt);
  const old = byAge.filter(({ isDone }) => isDone).slice(keptImages);
  const left = byAge.filter(({ isDone, madeAt }) => !isDone && madeAt < Date.now() - brokenOffMs);
  for (const { path } of [...old, ...left]) rmSync(path, { recursive: true, force: true });
}

const madeAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
