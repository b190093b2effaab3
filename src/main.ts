import { checkConfig } from "./start/check-config.ts";
import { migrate } from "./start/migrate.ts";
import { createProgram } from "./start/program.ts";
import { StartError } from "./start/read-config.ts";
import { serve } from "./start/serve.ts";
import { DataDirLockedError } from "./storage/data-lock.ts";

/** The program's one entry: reads the arguments, runs the command, ends with its exit code. */
const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const complain = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

// Whatever is written from here on is its owner's alone, also in a folder that others may look into.
process.umask(0o077);
// A hang-up before the server listens for it is nothing to end for.
process.on("SIGHUP", () => undefined);

const commands = {
  serve,
  checkConfig: async (file: string | null, json: boolean) => checkConfig(file, json, { print, complain }),
  migrate: (flags: Parameters<typeof migrate>[0], dryRun: boolean) => migrate(flags, dryRun, print),
};

try {
  await createProgram(commands, print, (code) => process.exit(code)).parseAsync();
} catch (thrown) {
  const expected = thrown instanceof StartError || thrown instanceof DataDirLockedError;
  const reason = thrown instanceof Error ? (expected ? thrown.message : thrown.stack) : String(thrown);
  complain(expected ? String(reason) : `turnpike: ${reason}`);
  process.exit(1);
}
