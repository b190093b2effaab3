import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imageProgram, ROOT } from "./image-program.ts";

/** What `npm start` runs: it needs a fifth of the time in which the sources start. */
export const PROGRAM = await imageProgram();
/** Generous: the machine may be busy. Nothing waits this long when all is well. */
const START_TIMEOUT_MS = 120_000;

export interface Turnpike {
  readonly url: string;
  readonly pid: number;
  /** What has been printed so far. */
  readonly output: () => string;
  /** Resolves when a line matches what is printed, from the beginning. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  kill(signal: NodeJS.Signals): void;
  readonly exited: Promise<number>;
}

/** An empty folder to run in, with its own data folder. */
export function newFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "turnpike-e2e-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts the real program as `npm start` does, on a free port, and waits for its banner. Flags for the runtime are for its sources. */
export async function startTurnpike(
  folder: string,
  env: Record<string, string> = {},
  args: string[] = [],
  bunArgs: string[] = [],
): Promise<Turnpike> {
  const turnpike = runTurnpike(folder, ["serve", "--port", "0", ...args], env, bunArgs);
  const [, url = ""] = await turnpike.waitFor(/Address +(http:\S+)/);
  return { ...turnpike, url };
}

export function runTurnpike(
  folder: string,
  args: string[],
  env: Record<string, string> = {},
  bunArgs: string[] = [],
  image: readonly string[] = PROGRAM,
): Omit<Turnpike, "url"> {
  const program = bunArgs.length > 0 ? [process.execPath, ...bunArgs, join(ROOT, "src/main.ts")] : image;
  const child = Bun.spawn([...program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let printed = "";
  let noticed: () => void = () => undefined;
  const collect = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      printed += decoder.decode(chunk, { stream: true });
      noticed();
    }
  };
  const collected = Promise.all([collect(child.stdout), collect(child.stderr)]);
  return {
    pid: child.pid,
    output: () => printed,
    kill: (signal) => child.kill(signal),
    exited: collected.then(() => child.exited),
    async waitFor(pattern) {
      const deadline = Date.now() + START_TIMEOUT_MS;
      for (;;) {
        const found = pattern.exec(printed);
        if (found) return found;
        if (child.exitCode !== null || Date.now() > deadline) throw new Error(`never printed ${pattern}:\n${printed}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 500);
          noticed = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
  };
}
