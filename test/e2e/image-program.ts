import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Images {
  ensureImage(options: { root: string; bun: string; mayBuild: boolean }): Promise<string[]>;
}

interface Launcher {
  readonly RUNTIME_ENV: Readonly<Record<string, string>>;
}

export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** What `npm start` starts: an image of the sources as they are now. */
export async function imageProgram(): Promise<string[]> {
  const { ensureImage } = (await import(join(ROOT, "scripts/ensure-image.mjs"))) as Images;
  return ensureImage({ root: ROOT, bun: process.execPath, mayBuild: true });
}

/** What `npm start` tells the runtime. */
export async function runtimeEnv(): Promise<Readonly<Record<string, string>>> {
  const { RUNTIME_ENV } = (await import(join(ROOT, "scripts/launch.mjs"))) as Launcher;
  return RUNTIME_ENV;
}
