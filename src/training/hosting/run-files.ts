import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Where runs lie that are carried out here: a folder for each. Ids are ours, so they are safe as names. */
export class RunFiles {
  constructor(private readonly root: string) {}

  pathOf(runId: string): string {
    return join(this.root, runId);
  }

  has(runId: string): boolean {
    return existsSync(this.pathOf(runId));
  }

  async keepInitial(runId: string, bytes: Uint8Array): Promise<void> {
    await mkdir(this.pathOf(runId), { recursive: true, mode: 0o700 });
    await Bun.write(join(this.pathOf(runId), "initial"), bytes);
  }

  /** Null where it is not here. */
  async findModel(runId: string, hash: string): Promise<Blob | null> {
    const file = Bun.file(join(this.pathOf(runId), "models", hash));
    return (await file.exists()) ? file : null;
  }

  async remove(runId: string): Promise<void> {
    await rm(this.pathOf(runId), { recursive: true, force: true });
  }
}
