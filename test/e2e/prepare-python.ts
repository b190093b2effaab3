import { Database } from "bun:sqlite";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The official clients, as they are installed; each is imported by the name before its version, with dots for dashes. */
const OPENAI = "openai==3.49.0";
export const ANTHROPIC = "anthropic==2.8.0";
export const GOOGLE = "google-genai==3.3.0";
const LOCK_WAIT_MS = 600_000;

/** A Python with the official client, kept between runs; null, with the reason said, where it cannot be had. */
export async function preparePython(client = OPENAI): Promise<string | null> {
  const folder = fileURLToPath(
    new URL(`../../node_modules/.cache/python-${client.replace(/\W+/g, "-")}`, import.meta.url),
  );
  mkdirSync(dirname(folder), { recursive: true });
  // Files that need it may begin at the same time. Such a lock goes with its process, however that ends.
  const lock = new Database(`${folder}.lock`);
  lock.run(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
  lock.run("BEGIN EXCLUSIVE");
  try {
    return await prepareIn(folder, client);
  } finally {
    lock.close();
  }
}

async function prepareIn(folder: string, client: string): Promise<string | null> {
  const python = join(folder, "bin", "python");
  const ready = join(folder, "ready");
  const name = client.split("==")[0]?.replaceAll("-", ".");
  if (existsSync(ready) && (await Bun.spawn([python, "-c", `import ${name}`]).exited) === 0) return python;
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
      client,
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
    console.warn(`Tests with the Python client skipped: ${step.slice(0, 4).join(" ")} failed (${reason})`);
    return null;
  }
  writeFileSync(ready, "");
  return python;
}
