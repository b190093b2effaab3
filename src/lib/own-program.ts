import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM_ROOT } from "./program-root.ts";

/** The command that starts this program once more: an image is an executable of its own, sources are run by Bun, with its own flags. */
export const ownProgram = (args: readonly string[], bunArgs: readonly string[] = []): string[] =>
  Bun.isStandaloneExecutable
    ? [image(), ...args]
    : [process.execPath, ...bunArgs, join(PROGRAM_ROOT, "src/main.ts"), ...args];

/** Later versions remove old images; the system still has the one that runs. */
const image = (): string => (existsSync(process.execPath) ? process.execPath : `/proc/${process.pid}/exe`);
