import { fileURLToPath } from "node:url";

/** The provider of the benchmarks as a process of its own. */
export async function startUpstream(): Promise<{ readonly address: string; stop(): void }> {
  const child = Bun.spawn([process.execPath, fileURLToPath(new URL("upstream.ts", import.meta.url))], {
    stdout: "pipe",
  });
  const { value } = await child.stdout.getReader().read();
  return { address: new TextDecoder().decode(value).trim(), stop: () => child.kill() };
}
