import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const INSTALL_MS = 110_000;

/**
 * The path of a file of an npm package, such as `@google/genai@3.1.0`, which is stored between runs. Null where it
 * cannot be installed; a line says why. Such clients are no dependencies of the program, so the test installs them.
 */
export async function installNpmClient(spec: string, file: string): Promise<string | null> {
  const name = spec.slice(0, spec.lastIndexOf("@"));
  const folder = fileURLToPath(
    new URL(`../../node_modules/.cache/client-${spec.replace(/\W+/g, "-")}`, import.meta.url),
  );
  const entry = join(folder, "node_modules", name, file);
  if (existsSync(entry)) return entry;
  mkdirSync(dirname(folder), { recursive: true });
  // Made beside its place and moved: a file that runs at the same time finds all of it, or nothing.
  const making = `${folder}-${process.pid}`;
  const install = ["npm", "install", "--prefix", making, "--no-audit", "--no-fund", "--ignore-scripts", spec];
  const child = Bun.which("npm")
    ? Bun.spawn(install, {
        stdout: "ignore",
        stderr: "pipe",
        timeout: INSTALL_MS,
        env: { ...process.env, npm_config_fetch_retries: "0" },
      })
    : null;
  const code = child ? await child.exited : 127;
  if (code === 0 && !existsSync(folder)) renameSync(making, folder);
  else rmSync(making, { recursive: true, force: true });
  if (existsSync(entry)) return entry;
  const reason = child ? (await new Response(child.stderr).text()).trim().split("\n").at(-1) : "npm is not installed";
  console.warn(`Tests with ${spec} skipped: npm install failed (${reason || `${file} is missing`})`);
  return null;
}
