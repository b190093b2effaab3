import {
  createProgram,
  isServerCommand,
  type MoveFlags,
  type OperatorFlags,
  type RollbackFlags,
  type ServeFlags,
  type TrainFlags,
  withHelpFlag,
} from "./start/program.ts";

/** The program's one entry: reads the arguments, runs the command, ends with its exit code. */
const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const complain = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const done = (code: number): void => process.exit(code);

// Whatever is written from here on is its owner's alone, also in a folder that others may look into.
process.umask(0o077);

process.argv = withHelpFlag(process.argv);

// Each side of the program is loaded only when it is called: the client starts fast, the server carries nothing extra.
const isServer = isServerCommand(process.argv.slice(2));
// A hang-up before the server listens for it is nothing to end for.
if (isServer) process.on("SIGHUP", () => undefined);

const commands = {
  serve: async (flags: ServeFlags) => (await import("./start/serve-command.ts")).serveCommand(flags),
  checkConfig: async (file: string | null, json: boolean) =>
    (await import("./start/check-config.ts")).checkConfig(file, json, { print, complain }),
  migrate: async (flags: ServeFlags, dryRun: boolean) =>
    (await import("./start/migrate.ts")).migrate(flags, dryRun, print),
  backup: async (flags: OperatorFlags, folder: string) =>
    (await import("./start/backup.ts")).backup(flags, folder, print),
  move: async (flags: MoveFlags) =>
    (await import("./start/move.ts")).move(flags, {
      print,
      progress: (text) => void process.stderr.write(text),
      isTerminal: process.stderr.isTTY === true,
    }),
  verifyLedger: async (flags: OperatorFlags) => (await import("./start/ledger-commands.ts")).verifyLedger(flags, print),
  showLedger: async (flags: OperatorFlags, organizationId: string) =>
    (await import("./start/ledger-commands.ts")).showLedger(flags, organizationId, print),
  verifyAudit: async (flags: OperatorFlags & { head?: string }) =>
    (await import("./start/audit-command.ts")).verifyAudit(flags, print),
  runTraining: async (file: string, flags: TrainFlags) =>
    (await import("./start/train-command.ts")).runTraining(file, flags, {
      print,
      progress: (text) => void process.stderr.write(text),
      isTerminal: process.stderr.isTTY === true,
    }),
  rollBackTraining: async (file: string, flags: RollbackFlags) =>
    (await import("./start/train-command.ts")).rollBackTraining(file, flags, print),
  workOnTraining: async () => void (await import("./start/training-worker.ts")),
  readDocument: async () => void (await import("./files/reading/reader.ts")),
  replayUsage: async (flags: OperatorFlags) => (await import("./start/ledger-commands.ts")).replayUsage(flags, print),
};

try {
  const program = createProgram(commands, print, done);
  if (!isServer) (await import("./cli/client.ts")).addClientCommands(program, process.argv, done);
  await program.parseAsync();
} catch (thrown) {
  const { StartError } = await import("./start/start-error.ts");
  const { DataDirLockedError } = await import("./storage/data-lock.ts");
  const expected = thrown instanceof StartError || thrown instanceof DataDirLockedError;
  const reason = thrown instanceof Error ? (expected ? thrown.message : thrown.stack) : String(thrown);
  const [code, exit] = thrown instanceof StartError ? [thrown.code, thrown.exit] : ["START_ERROR", 1];
  const json = process.argv.includes("--json");
  complain(json ? JSON.stringify({ error: String(reason), code, requestId: null }) : `turnpike: ${reason}`);
  process.exit(exit);
}
