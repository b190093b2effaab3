import { COMMAND } from "../lib/command-name.ts";
import { usageError } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { readStdin } from "./prompt.ts";

/** What to tell a model: the argument, what is piped in, or the answer to a question. */
export async function readPrompt(
  { prompt }: Pick<Context, "prompt">,
  given: string | undefined,
  example: string,
): Promise<string> {
  if (given !== undefined && given !== "-") return given;
  if (given === undefined && prompt.isPossible) return prompt.ask("Prompt", "");
  const piped = (await readStdin()).trim();
  if (piped === "") throw usageError("There is no prompt.", `Write one: ${COMMAND} ${example}`);
  return piped;
}
