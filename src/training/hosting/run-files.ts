import { existsSync } from "node:fs";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GatewayError } from "../../contract/errors.ts";
import { flushFolder, makeFolderDurably } from "../../lib/durable.ts";
import { rollBack } from "../coordinator/rollback.ts";
import { RunError } from "../coordinator/run-error.ts";
import { lackOfRoom } from "./room.ts";

/** Where runs lie that are carried out here: a folder for each. Ids are ours, so they are safe as names. */
export class RunFiles {
  constructor(
    private readonly root: string,
    private readonly keepFreeMb: number,
  ) {}

  pathOf(runId: string): string {
    return join(this.root, runId);
  }

  has(runId: string): boolean {
    return existsSync(this.pathOf(runId));
  }

  async keepInitial(runId: string, bytes: Uint8Array): Promise<void> {
    makeFolderDurably(this.root, 0o700);
    const lack = lackOfRoom(this.root, this.keepFreeMb, bytes.length);
    if (lack !== null) throw new GatewayError("unavailable", `The model cannot be kept: ${lack}.`);
    makeFolderDurably(this.pathOf(runId), 0o700);
    await writeFile(join(this.pathOf(runId), "initial"), bytes, { flush: true });
    flushFolder(this.pathOf(runId));
  }

  /** Null where it is not here. */
  async findModel(runId: string, hash: string): Promise<Blob | null> {
    const file = Bun.file(join(this.pathOf(runId), "models", hash));
    return (await file.exists()) ? file : null;
  }

  /** Folders that were last changed before then. */
  async list(beforeMs: number): Promise<readonly string[]> {
    const names = await readdir(this.root).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => ({ name, at: (await stat(this.pathOf(name)).catch(() => null))?.mtimeMs })),
    );
    return found.filter(({ at }) => at !== undefined && at < beforeMs).map(({ name }) => name);
  }

  /** Removes the rounds after this one. */
  rollBack(runId: string, round: number): void {
    try {
      rollBack(this.pathOf(runId), round);
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      throw new GatewayError("conflict", `The run cannot return to round ${round}: ${thrown.message}.`);
    }
  }

  async remove(runId: string): Promise<void> {
    await rm(this.pathOf(runId), { recursive: true, force: true });
  }
}
