import { fileURLToPath } from "node:url";

/** Starts the provider of the benchmarks as a separate process. */
export async function startUpstream(): Promise<{ readonly address: string; stop(): void }> {
  const file = fileURLToPath(new URL("upstream.ts", import.meta.url));
  const child = Bun.spawn([process.execPath, file], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const address = new TextDecoder().decode(value).trim();
  if (address === "") throw new Error("The upstream of the benchmark did not start.");
  return { address, stop: () => child.kill() };
}
