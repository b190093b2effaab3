import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import type { Act } from "./context.ts";
import { type Check, checkAll } from "./doctor-checks.ts";
import type { Output } from "./output.ts";

/** Looks at everything between a person and an answer. */
export function addDoctor(program: Command, act: Act): void {
  program
    .command("doctor")
    .description("check settings, server, clock, sign-in and key, and tell what to do")
    .addHelpText("after", "\nIt ends with the exit code of the first check that fails; warnings leave it at 0.")
    .action(
      act(async (context) => {
        const { output, session } = context;
        const checks: Check[] = [];
        for await (const check of checkAll(context)) {
          checks.push(check);
          if (isForPeople(output)) show(output, check);
        }
        const failed = checks.filter(({ status }) => status === "fail");
        const [first] = failed;
        if (output.format === "json") output.data(JSON.stringify({ ok: !first, url: session.url, checks }));
        else if (!isForPeople(output)) list(output, checks);
        if (first) {
          const names = failed.map(({ id }) => id).join(", ");
          throw new CliError(
            first.exit,
            "CHECK_FAILED",
            `${failed.length} of ${checks.length} checks failed: ${names}.`,
          );
        }
      }),
    );
}

/** What a doctor says is read by people in the logs of a pipeline, too. */
const isForPeople = ({ format, isBare }: Output): boolean => !isBare && (format === "table" || format === "tabs");

const STATUS_CHARS = 6;
const NAME_CHARS = 10;

/** One after the other, as they are done: the last may wait for a server that does not answer. */
function show(output: Output, { id, status, detail, hint }: Check): void {
  const [first = "", ...others] = wrapped(detail);
  const isLoud = status !== "ok";
  output.line(`${status.padEnd(STATUS_CHARS)}${id.padEnd(NAME_CHARS)}${first}`, isLoud);
  const indent = " ".repeat(STATUS_CHARS + NAME_CHARS);
  for (const line of others) output.line(indent + line, isLoud);
  for (const line of hint === null ? [] : wrapped(hint)) output.line(indent + line);
}

/** Between words, where the terminal ends; without one a line is a line. */
function wrapped(text: string): readonly string[] {
  const room = (process.stdout.columns || Number.POSITIVE_INFINITY) - STATUS_CHARS - NAME_CHARS;
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && Bun.stringWidth(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function list(output: Output, checks: readonly Check[]): void {
  const data = output.isBare ? checks.filter(({ status }) => status !== "ok") : checks;
  const columns = {
    STATUS: ({ status }: Check) => status,
    CHECK: ({ id }: Check) => id,
    DETAIL: ({ detail }: Check) => detail,
    HINT: ({ hint }: Check) => hint,
  };
  output.listAll(data, columns);
}
