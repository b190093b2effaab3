import { usageError } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { readStdin } from "./prompt.ts";

const INSTEAD = "Pipe it in with --password-stdin.";

export async function readPassword({ prompt }: Pick<Context, "prompt">, fromStdin: boolean): Promise<string> {
  if (!fromStdin) return prompt.askHidden("Password", INSTEAD);
  const password = (await readStdin()).replace(/\r?\n$/, "");
  if (password === "") throw usageError("No password came from stdin.");
  return password;
}

/** One that is chosen now: typed twice, unless it is piped in. */
export async function readNewPassword({ prompt }: Pick<Context, "prompt">, fromStdin: boolean): Promise<string> {
  const password = await readPassword({ prompt }, fromStdin);
  if (fromStdin) return password;
  if (password !== (await prompt.askHidden("The same again", INSTEAD))) throw usageError("The two passwords differ.");
  return password;
}
