import { COMMAND } from "../lib/command-name.ts";
import { usageError } from "./cli-error.ts";

/** What a command is to change: one without any of its flags would change nothing, and look as if it had. */
export function requireChanges<T extends object>(command: string, changes: T): T {
  if (Object.values(changes).some((value) => value !== undefined)) return changes;
  throw usageError("Nothing to change.", `See: ${COMMAND} ${command} -h`);
}
