import { type AddHelpTextContext, Command, InvalidArgumentError } from "commander";
import { API_VERSION, PROGRAM_VERSION } from "../contract/version.ts";
import { COMMAND, READER_COMMAND } from "../lib/command-name.ts";

export interface ServeFlags {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
  readonly workers?: string;
  readonly dataDir?: string;
  readonly demo?: boolean;
  readonly logLevel?: string;
}

export interface TrainFlags {
  readonly folder?: string;
  readonly json?: boolean;
}

export interface RollbackFlags extends TrainFlags {
  readonly round: number;
}

export type OperatorFlags = ServeFlags & { readonly json?: boolean };

export type MoveFlags = OperatorFlags & { readonly to?: string };

/** What a server starts for a training run, and no person. */
export const TRAINING_COMMAND = "training-worker";

/** The commands that run here; all others are the client's. */
const SERVER_COMMANDS: ReadonlySet<string> = new Set([
  "serve",
  "migrate",
  "backup",
  "move",
  "audit",
  "version",
  TRAINING_COMMAND,
  READER_COMMAND,
]);

/** Commands that run here beside the client's of the same group. */
const OPERATOR_COMMANDS: ReadonlySet<string> = new Set([
  "config check",
  "ledger verify",
  "ledger show",
  "usage replay",
]);

export const isServerCommand = ([group = "", command = "", ...rest]: readonly string[]): boolean =>
  SERVER_COMMANDS.has(group) ||
  OPERATOR_COMMANDS.has(`${group} ${command}`) ||
  // With --server it is the client's: a server elsewhere does the work.
  (group === "train" && command === "run" && !rest.includes("--server")) ||
  // The id of a hosted run has no dot.
  (group === "train" && command === "rollback" && rest.some((word) => /\.(?:ya?ml|json)$/i.test(word)));

/** What the commands do; the program only reads arguments. Each gives the exit code. */
export interface Commands {
  serve(flags: ServeFlags): Promise<number>;
  checkConfig(file: string | null, json: boolean): Promise<number>;
  migrate(flags: OperatorFlags, dryRun: boolean): Promise<number>;
  backup(flags: OperatorFlags, folder: string): Promise<number>;
  move(flags: MoveFlags): Promise<number>;
  verifyLedger(flags: OperatorFlags): Promise<number>;
  showLedger(flags: OperatorFlags, organizationId: string): Promise<number>;
  replayUsage(flags: OperatorFlags): Promise<number>;
  verifyAudit(flags: OperatorFlags & { readonly head?: string }): Promise<number>;
  runTraining(file: string, flags: TrainFlags): Promise<number>;
  rollBackTraining(file: string, flags: RollbackFlags): Promise<number>;
  /** Ends by itself. */
  workOnTraining(): Promise<void>;
  /** Ends by itself. */
  readDocument(): Promise<void>;
}

export function createProgram(
  commands: Commands,
  print: (text: string) => void,
  done: (code: number) => void,
): Command {
  const program = new Command("turnpike")
    .description("One OpenAI-style address for many model providers.")
    .version(PROGRAM_VERSION, "-V, --version")
    .showHelpAfterError("Run with --help to see what is possible.")
    .addHelpText("beforeAll", refuseUnknown)
    .hook("preAction", (_, command) => refuseEmptyPaths(command));
  if (isServerCommand(process.argv.slice(2))) endAsClient(program, process.argv.includes("--json"), done);

  withServeFlags(program.command("serve", { isDefault: false }))
    .description("start the gateway and the platform")
    .addHelpText("after", SERVE_HELP)
    .action(async (flags: ServeFlags) => done(await commands.serve(flags)));

  program.command(TRAINING_COMMAND, { hidden: true }).action(() => commands.workOnTraining());
  program.command(READER_COMMAND, { hidden: true }).action(() => commands.readDocument());

  const config = program.command("config").description("configuration files of servers, and your own settings");
  config
    .command("check")
    .description("report every fault of a server's configuration file, with line and column, and do nothing else")
    .argument("[file]", "the file; default TURNPIKE_CONFIG or ./turnpike.yaml")
    .option("--json", "print the faults and warnings as JSON")
    .action(async (file: string | undefined, flags: { json?: boolean }) =>
      done(await commands.checkConfig(file ?? null, flags.json === true)),
    );

  withStorageFlags(program.command("migrate"))
    .description("bring the database to this version's tables")
    .option("--dry-run", "only list what would be done")
    .option("--json", "print the migrations as JSON")
    .action(async (flags: OperatorFlags & { dryRun?: boolean }) =>
      done(await commands.migrate(flags, flags.dryRun === true)),
    );

  withStorageFlags(program.command("backup"))
    .description("copy the data folder as it is at one moment; the server may be running")
    .argument("<folder>", "a new folder, to be put in the place of the data folder some day")
    .option("--json", "print what was copied as JSON")
    .action(async (folder: string, flags: OperatorFlags) => done(await commands.backup(flags, folder)));

  withStorageFlags(program.command("move"))
    .description("copy the SQLite database of the data folder into an empty PostgreSQL database")
    .option("--to <url>", "postgres://USER@HOST/DATABASE (TURNPIKE_DATABASE_URL)", readPostgresUrl)
    .option("--json", "print the report as JSON")
    .action(async (flags: MoveFlags) => done(await commands.move(flags)));

  withStorageFlags(program.command("audit").description("the audit log, straight from the database").command("verify"))
    .description("recompute the hashes of the audit log; ends with 1 if anything differs")
    .option("--head <seq:hash>", "an end of the log that was told before, to be found again")
    .option("--json", "print the report as JSON")
    .action(async (flags: OperatorFlags & { head?: string }) => done(await commands.verifyAudit(flags)));

  if (isServerCommand(process.argv.slice(2))) addOperatorCommands(program, commands, done);

  const train = program.command("train").description("train with participants");
  addRollback(train, (file, flags) => commands.rollBackTraining(file, flags).then(done));
  train
    .command("run")
    .description("run the rounds of a plan, or go on with them after an interruption")
    .argument("<plan>", "a YAML file: participants, rounds, strategy (docs/training.md)")
    .option("--folder <folder>", "where the run is kept (its name and .run)")
    .option("--server", "let the server that you are logged in to carry it out, and watch it")
    .option("--detach", "with --server: do not watch it")
    .option("--json", "print the outcome as JSON")
    .hook("preAction", (_, command) => refuseOtherPlace(command))
    .action(async (file: string, flags: TrainFlags) => done(await commands.runTraining(file, flags)));

  program
    .command("version")
    .description("print the version of the program and of its interface")
    .option("--json", "print it as JSON")
    .action((flags: { json?: boolean }) => {
      print(
        flags.json
          ? JSON.stringify({ version: PROGRAM_VERSION, api: API_VERSION, bun: Bun.version })
          : `turnpike ${PROGRAM_VERSION} (interface ${API_VERSION}, Bun ${Bun.version})`,
      );
      done(0);
    });
  return program;
}

function addRollback(train: Command, rollBack: (file: string, flags: RollbackFlags) => Promise<void>): void {
  train
    .command("rollback")
    .description("return a run to an earlier round; the rounds after it and their models are removed")
    .argument(
      "<run>",
      "the plan of a local run (.yaml, .yml, .json; it may have changed), or the id of a run on the server",
    )
    .requiredOption("--round <number>", "the last round that stays; 0 starts the run again", readRound)
    .option("--folder <folder>", "the folder of a local run (default: the name of the plan and .run)")
    .option("--json", "print the outcome as JSON")
    .action(rollBack);
}

function readRound(text: string): number {
  if (!/^[0-9]{1,7}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(text);
}

/** `help keys create` as `keys create --help`: by itself the word looks one command far, and passes over the rest. */
export function withHelpFlag(argv: readonly string[]): string[] {
  const [program = "", script = "", first, ...rest] = argv;
  const isDeep = first === "help" && rest.filter((word) => !word.startsWith("-")).length > 1;
  return isDeep ? [program, script, ...rest, "--help"] : [...argv];
}

/** An empty name is a variable of a script that was not set: what would be used in its place is not what was meant. */
function refuseEmptyPaths(command: Command): void {
  for (const option of command.options) {
    const value: unknown = command.getOptionValue(option.attributeName());
    if (typeof value === "string" && value.trim() === "" && /<(?:file|folder|path)>/.test(option.flags))
      command.error(`error: option '${option.flags}' needs a name, and got an empty one`);
  }
}

/** What only a run here or only one of a server has would otherwise be passed over in silence. */
function refuseOtherPlace(command: Command): void {
  const { server, detach, folder } = command.opts<{ server?: boolean; detach?: boolean; folder?: string }>();
  if (detach && !server)
    command.error("error: option '--detach' needs '--server': a run that is carried out here is watched");
  if (folder !== undefined && server)
    command.error(
      "error: option '--folder <folder>' and '--server' exclude each other: the server keeps its runs itself",
    );
}

/** Help with a command that there is not would be that of its group, as if all were well. */
function refuseUnknown({ command }: AddHelpTextContext): string {
  const [word, asked] = command.args;
  const wanted = word === "help" ? asked : word;
  if (wanted === undefined || wanted.startsWith("-") || command.commands.length === 0) return "";
  const isThere = command.commands.some((one) => one.name() === wanted || one.aliases().includes(wanted));
  if (isThere || wanted === "help" || command.registeredArguments.length > 0) return "";
  const path = command.parent ? ` ${pathOf(command)}` : "";
  return command.error(`error: unknown command '${wanted}'; \`${COMMAND}${path} --help\` lists those that there are`);
}

const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();

/** Wrong arguments end as they do in the client's commands, which see to it themselves. */
const endAsClient = (program: Command, json: boolean, done: (code: number) => void): Command =>
  program.configureOutput(json ? { writeErr: () => undefined } : {}).exitOverride(({ exitCode, message }) => {
    const fault = { error: message.replace(/^error: /, ""), code: "USAGE_ERROR", requestId: null };
    if (exitCode !== 0 && json) process.stderr.write(`${JSON.stringify(fault)}\n`);
    done(exitCode === 0 ? 0 : USAGE_EXIT);
    throw new Error(message);
  });

const USAGE_EXIT = 2;

/** They open the database themselves, and are there only when called: the client has groups of the same names. */
function addOperatorCommands(program: Command, commands: Commands, done: (code: number) => void): void {
  const ledger = program.command("ledger").description("the books, straight from the database");
  withStorageFlags(ledger.command("verify"))
    .description("recompute the books from their entries; ends with 1 if anything differs")
    .option("--json", "print the findings as JSON")
    .action(async (flags: OperatorFlags) => done(await commands.verifyLedger(flags)));
  withStorageFlags(ledger.command("show"))
    .description("an organization's credit and its latest entries")
    .argument("<organization>", "its id, slug or name")
    .option("--json", "print it as JSON")
    .action(async (organization: string, flags: OperatorFlags) => done(await commands.showLedger(flags, organization)));
  withStorageFlags(program.command("usage").description("the usage journal").command("replay"))
    .description("settle what processes that are no more left in the journal; the server must not be running")
    .option("--json", "print the report as JSON")
    .action(async (flags: OperatorFlags) => done(await commands.replayUsage(flags)));
}

const withStorageFlags = (command: Command): Command =>
  command
    .option("-c, --config <file>", "configuration file (TURNPIKE_CONFIG, ./turnpike.yaml)")
    .option("-d, --data-dir <folder>", "where data is kept (TURNPIKE_DATA_DIR, ./data)");

const withServeFlags = (command: Command): Command =>
  withStorageFlags(command)
    .option("-H, --host <address>", "address to listen on (TURNPIKE_HOST, 127.0.0.1)")
    .option("-p, --port <number>", "port to listen on, 0 for a free one (TURNPIKE_PORT, 4000)", readPort)
    .option(
      "-w, --workers <number>",
      "processes that share the port, or auto: one for each core (TURNPIKE_WORKERS, 1)",
      readWorkers,
    )
    .option("--no-demo", "leave out the demo organization and the offline models (TURNPIKE_DEMO=false)")
    .option("--log-level <level>", "debug, info, warn or error (TURNPIKE_LOG_LEVEL, info)", readLogLevel);

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError("It must be 0 to 65535.");
  return port;
}

function readPostgresUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol))
    throw new InvalidArgumentError("It must be an address that begins with postgres://.");
  return text;
}

function readWorkers(text: string): string {
  const workers = Number(text);
  const isNumber = Number.isInteger(workers) && workers >= 1 && workers <= 256;
  if (!isNumber && text.toLowerCase() !== "auto") throw new InvalidArgumentError("It must be 1 to 256, or auto.");
  return text;
}

function readLogLevel(text: string): string {
  if (!/^(?:debug|info|warn|error)$/i.test(text))
    throw new InvalidArgumentError("It must be debug, info, warn or error.");
  return text;
}

const SERVE_HELP = `
A flag wins over its environment variable, and that over the file. Further variables:
  TURNPIKE_DATABASE_URL    postgres://...; unset: SQLite in the data folder
  TURNPIKE_REDIS_URL       redis://...; several servers count limits together
  TURNPIKE_MASTER_KEY      the gateway's admin key; made at the first start when unset
  TURNPIKE_SECRET          root secret that replicas share; made at the first start when unset
  TURNPIKE_SIGNUP_CREDITS  USD that the organization of somebody who signs up begins with (0)
  TURNPIKE_ADMIN_EMAIL     the first admin (admin@localhost)
  TURNPIKE_ADMIN_PASSWORD  its password; made at the first start when unset
  TURNPIKE_SMTP_URL        smtp://...; letters are sent; unset: links are handed over

Signals: SIGTERM and SIGINT drain and stop, SIGHUP reads the configuration again.`;
