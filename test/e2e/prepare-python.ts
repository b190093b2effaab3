import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CLIENT = "openai==3.49.0";

const FOLDER = fileURLToPath(
  new URL(`../../node_modules/.cache/python-${CLIENT.replace(/\W+/g, "-")}`, import.meta.url),
);
const pythonIn = (folder: string): string => join(folder, "bin", "python");

/** A Python with the official client, kept between runs; null, with the reason said, where it cannot be had. */
export async function preparePython(): Promise<string | null> {
  const python = pythonIn(FOLDER);
  if (existsSync(python)) {
    if ((await Bun.spawn([python, "-c", "import openai"], { stderr: "ignore" }).exited) === 0) return python;
    rmSync(FOLDER, { recursive: true, force: true });
  }
  // Made elsewhere and moved when it is whole: other files that need it may be at the same.
  const fresh = `${FOLDER}-${process.pid}`;
  try {
    if (!(await install(fresh))) return null;
    if (!existsSync(FOLDER)) renameSync(fresh, FOLDER);
    return python;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function install(folder: string): Promise<boolean> {
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "20", "--retries", "1"];
  for (const step of [
    ["python3", "-m", "venv", "--clear", folder],
    [pythonIn(folder), ...pip, CLIENT],
  ]) {
    const child =
      Bun.which(step[0] ?? "") || existsSync(step[0] ?? "")
        ? Bun.spawn(step, { stdout: "ignore", stderr: "pipe" })
        : null;
    const code = child ? await child.exited : 127;
    if (code === 0) continue;
    const reason = child ? (await new Response(child.stderr).text()).trim().split("\n").at(-1) : "not installed";
    console.warn(`Tests with the Python client skipped: ${step.slice(0, 4).join(" ")} failed (${reason})`);
    return false;
  }
  return true;
}
