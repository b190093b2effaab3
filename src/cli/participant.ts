import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Command, InvalidArgumentError } from "commander";
// The SDK is a package of its own that knows nothing of this program; it is loaded only when a participant is run.
import type { Model, ParticipantOptions } from "../../sdk/typescript/src/index.ts";
import { PROGRAM_ROOT } from "../lib/program-root.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { Output } from "./output.ts";

const SDK_PACKAGE = "@turnpike/participant";

interface ParticipantFlags {
  readonly module: string;
  readonly host?: string;
  readonly port?: number;
  readonly name?: string;
  readonly partial?: boolean;
  readonly insecure?: boolean;
  readonly exposeErrors?: boolean;
  readonly secureOnly?: boolean;
}

interface Module extends Model {
  readonly default?: Model;
  readonly datasets?: Readonly<Record<string, unknown>>;
}

/** Serves a module's functions as a participant of a training, without a server being written. */
export function addParticipant(program: Command, done: (code: number) => void): void {
  program
    .command("participant")
    .description("take part in a training with the functions of a module")
    .requiredOption(
      "-m, --module <file>",
      "exports train, evaluate and aggregate, or an object with them as its default",
    )
    .option("-H, --host <address>", "address to listen on (HOST, 127.0.0.1)")
    .option("-p, --port <number>", "port to listen on, 0 for a free one (PORT, 5000)", readPort)
    .option("--name <name>", "how it calls itself")
    .option("--partial", "serve also when train or evaluate is missing")
    .option("--insecure", "listen to other machines without a token")
    .option("--expose-errors", "tell callers the words of errors")
    .option("--secure-only", "give updates away by secure aggregation only")
    .addHelpText("after", HELP)
    .action(async (flags: ParticipantFlags, command: Command) => {
      try {
        await serve(flags);
        done(EXIT.ok);
      } catch (thrown) {
        const error =
          thrown instanceof CliError ? thrown : new CliError(EXIT.error, "PARTICIPANT_ERROR", wordsOf(thrown));
        new Output(command.optsWithGlobals()).error(error);
        done(error.exit);
      }
    });
}

async function serve({ module: file, ...flags }: ParticipantFlags): Promise<void> {
  const { Participant, weightedMean } = await import("../../sdk/typescript/src/index.ts");
  const { model, datasets } = await loadModule(file);
  const options: ParticipantOptions = flags;
  const participant = Participant.fromModel(model, options);
  if (model.aggregate === undefined) {
    participant.registerAggregate((models, { weights }) => weightedMean(models, weights));
  }
  for (const [name, source] of Object.entries(datasets)) participant.registerDataset(name, source);
  await participant.run();
}

async function loadModule(file: string): Promise<{ model: Model; datasets: Readonly<Record<string, unknown>> }> {
  const path = resolve(file);
  if (!existsSync(path)) throw usageError(`There is no file ${file}.`);
  const module = await importModule(file, path);
  const model = module.default ?? module;
  if (model.train === undefined && model.evaluate === undefined) {
    throw usageError(`${file} exports neither train nor evaluate.`);
  }
  return { model, datasets: module.datasets ?? {} };
}

/** A module that reads tensors needs the SDK beside it: this program's own copy is not found from there. */
async function importModule(file: string, path: string): Promise<Module> {
  try {
    return (await import(pathToFileURL(path).href)) as Module;
  } catch (thrown) {
    // Of several things that cannot be read, the first.
    const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
    const message = wordsOf(first);
    if (!message.includes(`'${SDK_PACKAGE}'`))
      throw usageError(`${file} cannot be loaded: ${message}${placeOf(first)}`);
    const sdk = join(PROGRAM_ROOT, "sdk/typescript");
    throw new CliError(EXIT.usage, "USAGE_ERROR", `${message}.`, {
      hint: `Install it beside the module: npm install "$(npm pack --silent "${sdk}")"`,
    });
  }
}

/** What the compiler says is an object with a message, and no error. */
const wordsOf = (thrown: unknown): string =>
  typeof thrown === "object" && thrown !== null && "message" in thrown ? String(thrown.message) : String(thrown);

/** The line that it came from: where the compiler stopped, or the first place of the stack that is in a file. */
function placeOf(thrown: unknown): string {
  const { position, stack } = (thrown ?? {}) as { position?: Record<string, unknown> | null; stack?: unknown };
  if (position) return ` (${position.file}:${position.line}:${position.column})`;
  const place = /\/[^\s()]+:\d+:\d+/.exec(String(stack ?? ""))?.[0];
  return place === undefined ? "" : ` (${place})`;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new InvalidArgumentError("It must be 0 to 65535.");
  return port;
}

const HELP = `
The module's functions:
  train(parameters, dataset, context)     bytes or null in, bytes out
  evaluate(parameters, dataset, context)  a number, the larger the better
  aggregate(parametersList, context)      bytes out; without it, the weighted mean of safetensors or npy models
  datasets                                an object of rows, or functions that load them, by name

TURNPIKE_PARTICIPANT_TOKEN is the bearer token that callers need; without one it serves this machine only.`;
