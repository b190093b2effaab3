import { join } from "node:path";
import { PROGRAM_ROOT } from "./program-root.ts";

/** The command that starts this program once more: an image is an executable of its own, sources are run by Bun, with its own flags. */
export const ownProgram = (args: readonly string[], bunArgs: readonly string[] = []): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath, ...args]
    : [process.execPath, ...bunArgs, join(PROGRAM_ROOT, "src/main.ts"), ...args];
