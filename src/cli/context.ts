import { type Command, InvalidArgumentError } from "commander";
import { Api, PAGE_SIZE } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { withListHint } from "./list-hint.ts";
import { Output, type OutputFlags } from "./output.ts";
import { patiently } from "./patiently.ts";
import { Prompt } from "./prompt.ts";
import { Session } from "./session.ts";
import { SettingsFiles } from "./settings-files.ts";

export interface GlobalFlags extends OutputFlags {
  readonly url?: string;
  readonly profile?: string;
  readonly input?: boolean;
  readonly yes?: boolean;
}

/** What every command works with. */
export interface Context {
  readonly api: Api;
  readonly session: Session;
  readonly output: Output;
  readonly prompt: Prompt;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Work<A extends (string | undefined)[], O extends object> = (
  context: Context,
  options: O,
  ...args: A
) => Promise<void>;

/** Makes a command's action of its work; `A` are the command's arguments. */
export type Act = <A extends (string | undefined)[], O extends object>(
  run: Work<A, O>,
) => (...given: unknown[]) => Promise<void>;

const INTERRUPT_MS = 300;

/** Runs a command's work and ends the process with its exit code. */
export function actions(env: Context["env"], done: (code: number) => void): Act {
  return <A extends (string | undefined)[], O extends object>(run: Work<A, O>) =>
    async (...given: unknown[]) => {
      const command = given.at(-1) as Command;
      const flags: GlobalFlags = command.optsWithGlobals();
      const output = new Output(flags);
      const stop = new AbortController();
      process.once("SIGINT", () => {
        stop.abort();
        // What waits for stdin hears nothing of the signal.
        setTimeout(() => process.exit(EXIT.interrupted), INTERRUPT_MS);
      });
      // Whoever reads us may have seen enough, as `head` does.
      process.stdout.on("error", ({ code }: NodeJS.ErrnoException) =>
        process.exit(code === "EPIPE" ? EXIT.ok : EXIT.error),
      );
      let exit: number = EXIT.ok;
      try {
        const session = new Session(new SettingsFiles(env), flags, env);
        const api = new Api(session, (text) => output.debug(text), stop.signal);
        const context: Context = { api, session, output, prompt: new Prompt(flags), env };
        refuseEmpty(command);
        await everyPage(context, given.at(-2) as O & PageFlags, (options) =>
          run(context, options, ...(given.slice(0, -2) as A)),
        );
      } catch (thrown) {
        const error = thrown instanceof CliError ? withListHint(thrown, command) : unexpected(thrown);
        if (stop.signal.aborted) exit = EXIT.interrupted;
        else {
          output.error(error);
          exit = error.exit;
        }
        if (!(thrown instanceof CliError) && thrown instanceof Error) output.debug(thrown.stack ?? "");
      }
      // A pipe takes 64 KiB at a time; whoever ends before it has taken all of it loses the rest.
      await new Promise<void>((resolve) => process.stdout.end(() => resolve()));
      done(exit);
    };
}

/** The work is done again for each page of a list that is wanted as a whole, so that it streams; naming a page is wanting only that. */
async function everyPage<O extends PageFlags>(
  { output }: Pick<Context, "output">,
  options: O,
  run: (options: O) => Promise<void>,
): Promise<void> {
  await run(options);
  if (options.page !== undefined || options.pageSize !== undefined) return;
  for (let page = 2; output.wantsNextPage; page++) {
    await output.drained();
    // Long lists are many calls.
    await patiently(() => run({ ...options, page }));
  }
}

/** A script whose variable is not set names nothing; the server would only say that there is no such path. */
function refuseEmpty({ args, registeredArguments }: Command): void {
  const empty = registeredArguments.find(({ required }, at) => required && args[at] === "");
  if (empty) throw usageError(`The argument \`${empty.name()}\` is empty.`, "Is a variable in its place not set?");
}

const unexpected = (thrown: unknown): CliError =>
  new CliError(EXIT.error, "CLIENT_ERROR", thrown instanceof Error ? thrown.message : String(thrown), {
    hint: "This is a fault of the command line; --debug shows where.",
  });

export interface PageFlags {
  readonly page?: number;
  readonly pageSize?: number;
}

export const withPages = (command: Command): Command =>
  command
    .option("--page <number>", "which page", readCount)
    .option("--page-size <number>", `rows of a page, 1 to ${PAGE_SIZE}`, readCount);

export const pageQuery = ({ page = 1, pageSize = PAGE_SIZE }: PageFlags) => ({ page, pageSize });

export function readLimit(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(text);
}

export function readCount(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 1.");
  return Number(text);
}
