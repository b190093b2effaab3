import { existsSync } from "node:fs";
import { join } from "node:path";

const CACHE = join(import.meta.dir, "../../node_modules/.cache/python-numpy");

/** A Python with numpy: the one that is named, or one that is made for this once. Null where neither is to be had. */
export async function findNumpy(named: string, folder = CACHE): Promise<string | null> {
  const has = (command: string) =>
    Bun.which(command) !== null && Bun.spawnSync([command, "-c", "import numpy"], { stderr: "ignore" }).success;
  if (has(named)) return named;
  const own = join(folder, "bin/python");
  if (existsSync(own) && has(own)) return own;
  if (Bun.which(named) === null) return null;
  const quiet = ["--quiet", "--disable-pip-version-check", "--timeout", "20", "--retries", "1"];
  for (const step of [
    [named, "-m", "venv", "--clear", folder],
    [own, "-m", "pip", "install", ...quiet, "numpy"],
  ]) {
    if ((await Bun.spawn(step, { stdout: "ignore", stderr: "ignore" }).exited) !== 0) return null;
  }
  return has(own) ? own : null;
}
