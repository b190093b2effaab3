import type { Command } from "commander";
import { COMMAND } from "../lib/command-name.ts";
import { CliError, EXIT } from "./cli-error.ts";

/** Whoever names what is not there is told which command of the group shows what is; where there is one, and nothing better is known. */
export function withListHint(error: CliError, command: Command): CliError {
  const { exit, code, message, requestId, hint } = error;
  if (exit !== EXIT.notFound || hint !== null || !message.startsWith("There is no")) return error;
  const list = listOf(command);
  return list === null
    ? error
    : new CliError(exit, code, message, { requestId, hint: `\`${COMMAND} ${list}\` shows what there is.` });
}

/** Some groups list by themselves: those show pages. */
function listOf({ parent }: Command): string | null {
  if (!parent?.parent) return null;
  if (parent.commands.some((one) => one.name() === "list")) return `${pathOf(parent)} list`;
  return parent.options.some(({ long }) => long === "--page") ? pathOf(parent) : null;
}

/** The words that lead to a command, without the program's name. */
const pathOf = (command: Command): string =>
  command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
