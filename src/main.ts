import { mkdirSync } from "node:fs";
import { createProgram, type ServeFlags } from "./cli/program.ts";
import { loadConfig } from "./config/load.ts";
import { renderFaults } from "./config/render-faults.ts";
import { DataDirLockedError, readConfig, StartError, serve, withFlags } from "./serve.ts";
import { lockDataDir } from "./storage/data-lock.ts";
import { openStorage } from "./storage/open.ts";

/** The program's one entry: reads the arguments, runs the command, ends with its exit code. */
const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const complain = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

async function checkConfig(file: string | null, json: boolean): Promise<number> {
  const loaded = loadConfig({ file, env: process.env });
  const faults = loaded.ok ? [] : loaded.faults;
  if (json) {
    print(JSON.stringify({ ok: loaded.ok, faults, warnings: loaded.warnings }, null, 2));
    return loaded.ok ? 0 : 1;
  }
  if (loaded.warnings.length > 0)
    complain(`${count(loaded.warnings.length, "warning")}:\n\n${renderFaults(loaded.warnings)}`);
  if (loaded.ok) {
    const where = loaded.files.length > 0 ? loaded.files.join(", ") : "no file, only the environment";
    print(`The configuration is good: ${count(loaded.config.deployments.length, "deployment")} (${where}).`);
    return 0;
  }
  complain(`${count(faults.length, "fault")}:\n\n${renderFaults(faults)}`);
  return 1;
}

async function migrate(flags: ServeFlags, dryRun: boolean): Promise<number> {
  const { config } = readConfig(flags.config ?? null, withFlags(process.env, flags));
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const lock = config.databaseUrl === null ? lockDataDir(config.dataDir) : null;
  const storage = openStorage({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    timeoutMs: config.databaseTimeoutMs,
  });
  try {
    const names = dryRun ? await storage.pendingMigrations() : await storage.migrate();
    if (names.length === 0) print("The database is up to date.");
    for (const name of names) print(`${dryRun ? "would apply" : "applied"} ${name}`);
    return 0;
  } finally {
    await storage.close();
    lock?.release();
  }
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

if (import.meta.main) {
  const program = createProgram({ serve, checkConfig, migrate }, print, (code) => process.exit(code));
  try {
    await program.parseAsync();
  } catch (thrown) {
    const expected = thrown instanceof StartError || thrown instanceof DataDirLockedError;
    complain(
      expected ? thrown.message : `turnpike: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown}`,
    );
    process.exit(1);
  }
}
