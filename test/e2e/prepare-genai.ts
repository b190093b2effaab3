import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const CLIENT = "@google/genai@3.1.0";
const INSTALL_MS = 120_000;

/**
 * The path of Google's official client, kept between runs; null, with the reason said, where it cannot be had. It is no
 * dependency of the program: thirty packages for one test are fetched where the test runs.
 */
export async function prepareGenai(): Promise<string | null> {
  const folder = fileURLToPath(
    new URL(`../../node_modules/.cache/genai-${CLIENT.replace(/\W+/g, "-")}`, import.meta.url),
  );
  const entry = join(folder, "node_modules", "@google", "genai");
  if (existsSync(entry)) return entry;
  mkdirSync(dirname(folder), { recursive: true });
  // Made beside its place and moved: a file that runs at the same time finds all of it, or nothing.
  const making = `${folder}-${process.pid}`;
  const install = ["npm", "install", "--prefix", making, "--no-audit", "--no-fund", "--ignore-scripts", CLIENT];
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
  console.warn(`Tests with Google's JavaScript client skipped: ${install.slice(0, 2).join(" ")} failed (${reason})`);
  return null;
}
