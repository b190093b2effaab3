import { openStorage } from "../storage/open.ts";
import { lockData } from "./data-folder.ts";
import type { OperatorFlags } from "./program.ts";
import { readConfig, withFlags } from "./read-config.ts";
import { asStartError } from "./start-error.ts";

/** `turnpike migrate`: brings the database to this version's tables without serving. */
export async function migrate(flags: OperatorFlags, dryRun: boolean, print: (text: string) => void): Promise<number> {
  const { config } = readConfig(flags.config ?? null, withFlags(process.env, flags));
  const lock = config.databaseUrl === null ? lockData(config) : null;
  const storage = openStorage({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    timeoutMs: config.databaseTimeoutMs,
  });
  try {
    const names = dryRun ? await storage.pendingMigrations() : await storage.migrate();
    if (flags.json) print(JSON.stringify({ [dryRun ? "pending" : "applied"]: names }));
    else if (names.length === 0) print("The database is up to date.");
    else for (const name of names) print(`${dryRun ? "would apply" : "applied"} ${name}`);
    return 0;
  } catch (thrown) {
    throw asStartError(thrown);
  } finally {
    await storage.close();
    lock?.release();
  }
}
