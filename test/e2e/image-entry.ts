import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Images {
  ensureImage(options: { root: string; bun: string; mayBuild: boolean }): Promise<string>;
}

export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** What `npm start` starts: an image of the sources as they are now. */
export async function imageEntry(): Promise<string> {
  const { ensureImage } = (await import(join(ROOT, "scripts/ensure-image.mjs"))) as Images;
  return ensureImage({ root: ROOT, bun: process.execPath, mayBuild: true });
}
