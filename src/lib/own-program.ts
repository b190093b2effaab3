import { existsSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM_ROOT } from "./program-root.ts";

/** The command that starts this program once more: an image is an executable of its own, sources are run by Bun, with its own flags. */
export const ownProgram = (args: readonly string[], bunArgs: readonly string[] = []): string[] =>
  Bun.isStandaloneExecutable
    ? [image(), ...args]
    : [process.execPath, ...bunArgs, join(PROGRAM_ROOT, "src/main.ts"), ...args];

/** Variables that the runtime and name resolution need. The server's other variables may hold secrets. */
const PASSED = /^(PATH|HOME|TMPDIR|LANG|LC_\w+|TZ|BUN_\w+|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|(HTTPS?|NO)_PROXY)$/i;

/** The environment of a child process that needs none of the server's secrets. */
export const passedEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED.test(name)));

/** Later versions remove old images; the system still has the one that runs. */
const image = (): string => (existsSync(process.execPath) ? process.execPath : `/proc/${process.pid}/exe`);
