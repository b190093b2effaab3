import { fileURLToPath } from "node:url";
import { startTurnpike } from "./process.ts";

interface PythonResult {
  readonly name: string;
  readonly ok: boolean;
  readonly why?: string;
}

/** What a suite in Python tells of its checks against a Turnpike in this folder, and how it ended. */
export async function runPythonSuite(
  python: string | null,
  {
    folder,
    suite,
    flags = [],
    base = "/v1",
  }: { folder: string; suite: string; flags?: readonly string[]; base?: string },
  ...args: readonly string[]
): Promise<{ readonly results: readonly PythonResult[]; readonly ended: readonly [code: number, stderr: string] }> {
  const turnpike = await startTurnpike(folder);
  try {
    const key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
    const file = fileURLToPath(new URL(`python/${suite}`, import.meta.url));
    const child = Bun.spawn([python ?? "", ...flags, file, turnpike.url + base, key, ...args], { stderr: "pipe" });
    const lines = (await new Response(child.stdout).text()).trim().split("\n");
    const results = lines.map((line) => JSON.parse(line) as PythonResult);
    return { results, ended: [await child.exited, await new Response(child.stderr).text()] };
  } finally {
    turnpike.kill("SIGKILL");
    await turnpike.exited;
  }
}
