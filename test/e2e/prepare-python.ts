import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The official clients. */
const CLIENTS = ["openai==3.49.0", "anthropic==2.8.0", "google-genai==3.3.0"];
/** Installs the clients in a quarter of the CPU time that pip needs. */
const INSTALLER = "uv==0.13.8";
const PIP_FLAGS = ["--quiet", "--disable-pip-version-check", "--timeout", "20", "--retries", "1"];
const LOCK_WAIT_MS = 600_000;

/**
 * Returns a Python with these packages, cached between runs, or null after printing why they cannot be installed. The
 * official clients share one environment because they have many dependencies in common.
 */
export async function preparePython(packages: readonly string[] = CLIENTS): Promise<string | null> {
  const made = packages.join("-").replace(/\W+/g, "-");
  const folder = fileURLToPath(new URL(`../../node_modules/.cache/python-${made}`, import.meta.url));
  mkdirSync(dirname(folder), { recursive: true });
  // Test files may need it at the same time. SQLite releases the lock when its process ends, in whatever way.
  const lock = new Database(`${folder}.lock`);
  lock.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  lock.run("BEGIN EXCLUSIVE");
  try {
    return await prepareIn(folder, packages);
  } finally {
    lock.close();
  }
}

async function prepareIn(folder: string, packages: readonly string[]): Promise<string | null> {
  const python = join(folder, "bin", "python");
  const ready = join(folder, "ready");
  if (existsSync(ready) && (await Bun.spawn([python, "-c", ""]).exited) === 0) return python;
  const steps = [
    ["python3", "-m", "venv", "--clear", "--without-pip", folder],
    ["python3", "-m", "pip", "--python", python, "install", "--no-compile", ...PIP_FLAGS, INSTALLER],
    [join(folder, "bin", "uv"), "pip", "install", "--quiet", "--python", python, ...packages],
  ];
  for (const step of steps) {
    const child =
      Bun.which(step[0] ?? "") || existsSync(step[0] ?? "")
        ? Bun.spawn(step, { stdout: "ignore", stderr: "pipe" })
        : null;
    const code = child ? await child.exited : 127;
    if (code === 0) continue;
    const reason = child ? (await new Response(child.stderr).text()).trim().split("\n").at(-1) : "not installed";
    console.warn(`Tests with ${packages.join(" and ")} skipped: ${step.slice(0, 4).join(" ")} failed (${reason})`);
    return null;
  }
  writeFileSync(ready, "");
  return python;
}
