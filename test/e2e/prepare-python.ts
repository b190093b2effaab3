import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The official clients, as they are installed, and what is imported to see that they are there. */
const CLIENTS = ["openai==3.49.0", "anthropic==2.8.0", "google-genai==3.3.0"];
const IMPORTED = "import openai, anthropic, google.genai";
const LOCK_WAIT_MS = 600_000;

/**
 * A Python with the official clients, kept between runs; null, with the reason said, where they cannot be had. One for all:
 * to make it takes nine seconds of a processor, and they need much of the same.
 */
export async function preparePython(): Promise<string | null> {
  const made = CLIENTS.join("-").replace(/\W+/g, "-");
  const folder = fileURLToPath(new URL(`../../node_modules/.cache/python-${made}`, import.meta.url));
  mkdirSync(dirname(folder), { recursive: true });
  // Files that need it may begin at the same time. Such a lock goes with its process, however that ends.
  const lock = new Database(`${folder}.lock`);
  lock.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  lock.run("BEGIN EXCLUSIVE");
  try {
    return await prepareIn(folder);
  } finally {
    lock.close();
  }
}

async function prepareIn(folder: string): Promise<string | null> {
  const python = join(folder, "bin", "python");
  const ready = join(folder, "ready");
  if (existsSync(ready) && (await Bun.spawn([python, "-c", IMPORTED]).exited) === 0) return python;
  const steps = [
    ["python3", "-m", "venv", "--clear", folder],
    [
      python,
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--timeout",
      "20",
      "--retries",
      "1",
      ...CLIENTS,
    ],
  ];
  for (const step of steps) {
    const child =
      Bun.which(step[0] ?? "") || existsSync(step[0] ?? "")
        ? Bun.spawn(step, { stdout: "ignore", stderr: "pipe" })
        : null;
    const code = child ? await child.exited : 127;
    if (code === 0) continue;
    const reason = child ? (await new Response(child.stderr).text()).trim().split("\n").at(-1) : "not installed";
    console.warn(`Tests with the Python clients skipped: ${step.slice(0, 4).join(" ")} failed (${reason})`);
    return null;
  }
  writeFileSync(ready, "");
  return python;
}
