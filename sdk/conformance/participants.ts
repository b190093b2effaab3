import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const sdk = join(import.meta.dir, "..");

/** A way to run the conformance model: its name and the command before the options. */
export interface Runtime {
  readonly name: string;
  readonly command: readonly string[];
}

export interface Started {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Bun and Node for one SDK, every Python that is at hand for the other. What is missing is said, not passed over. */
export async function findRuntimes(): Promise<{ runtimes: Runtime[]; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-sdk-"));
  const runtimes: Runtime[] = [
    { name: "TypeScript on Bun", command: [process.execPath, join(sdk, "typescript/conformance/model.ts")] },
  ];
  const node = Bun.which("node");
  if (node === null) console.warn("The TypeScript SDK is not tried on Node: there is none");
  else runtimes.push({ name: "TypeScript on Node", command: [node, await buildForNode(folder)] });
  const pythons = ["python3", "python3.9"].filter((name) => answers(name));
  if (pythons.length === 0) console.warn("The Python SDK is not tried: there is no python3");
  for (const python of pythons) {
    runtimes.push({ name: `Python (${python})`, command: [python, "-u", join(sdk, "python/conformance/model.py")] });
  }
  return { runtimes, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const answers = (python: string): boolean =>
  Bun.which(python) !== null && Bun.spawnSync([python, "-c", "pass"], { stderr: "ignore" }).success;

/** What `npm pack` ships, compiled the same way. */
async function buildForNode(folder: string): Promise<string> {
  const tsc = join(sdk, "../node_modules/typescript/bin/tsc");
  const project = join(sdk, "typescript/conformance/tsconfig.json");
  const child = Bun.spawn([Bun.which("node") ?? "node", tsc, "-p", project, "--outDir", folder], { stdout: "pipe" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`the SDK cannot be compiled:\n${text}`);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  return join(folder, "conformance/model.js");
}

export async function startModel(
  runtime: Runtime,
  options: unknown,
  env: Record<string, string> = {},
): Promise<Started> {
  const child = Bun.spawn([...runtime.command, JSON.stringify(options)], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", PYTHONDONTWRITEBYTECODE: "1", ...env },
    stdout: "pipe",
    stderr: env.PORT === undefined ? "inherit" : "ignore",
  });
  const url = await readAddress(child.stdout);
  return {
    url,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

async function readAddress(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const piece of stream) {
    text += Buffer.from(piece).toString();
    const found = /listens on (http:\S+)\n/.exec(text);
    if (found?.[1] !== undefined) return found[1];
  }
  throw new Error(`the model ended before it listened: ${text}`);
}
