import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { cpuMicros, isAlive, residentBytes, stopTree } from "../../bench/processes.ts";

test("the time and the memory of a process include those of its children", async () => {
  const before = cpuMicros(process.pid);
  const child = Bun.spawn(
    [process.execPath, "-e", "while (process.cpuUsage().user < 100_000); await Bun.stdin.text()"],
    {
      stdin: "pipe",
      stdout: "ignore",
    },
  );
  // A busy machine may delay the child, so wait for its processor time.
  while (cpuMicros(child.pid) < 20_000) await Bun.sleep(5);
  const [own, all] = [cpuMicros(child.pid), cpuMicros(process.pid) - before];
  expect(all).toBeGreaterThan(own * 0.9);
  expect(residentBytes(process.pid)).toBeGreaterThan(residentBytes(child.pid));
  child.stdin.end();
  await child.exited;
  expect(cpuMicros(child.pid)).toBe(0);
});

/** Starts a process that starts another one, and then ends in some way. Returns the process id of the latter. */
async function startNested(ending: string): Promise<{ nested: number; child: Bun.Subprocess }> {
  const file = fileURLToPath(new URL("../../bench/processes.ts", import.meta.url));
  const script = `
    import { stopProcessesAtExit } from ${JSON.stringify(file)};
    stopProcessesAtExit();
    console.log(Bun.spawn(["sleep", "600"]).pid);
    ${ending}`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "ignore" });
  const { value } = await child.stdout.getReader().read();
  return { nested: Number(new TextDecoder().decode(value)), child };
}

test.each([
  ["fails", "throw new Error('no reason')", null, 1],
  ["is interrupted", "await Bun.sleep(600_000)", "SIGINT", 130],
  ["is terminated", "await Bun.sleep(600_000)", "SIGTERM", 143],
] as const)("a benchmark that %s stops the processes that it started", async (_, ending, signal, code) => {
  const { nested, child } = await startNested(ending);
  expect(nested).toBeGreaterThan(1);
  if (signal !== null) child.kill(signal);
  expect(await child.exited).toBe(code);
  expect(isAlive(nested)).toBe(false);
});

test("a process is stopped with its descendants, also one that ignores SIGTERM", async () => {
  const child = Bun.spawn(["sh", "-c", "trap '' TERM; sleep 600 & echo $!; wait; wait"], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const nested = Number(new TextDecoder().decode(value));
  expect(isAlive(nested)).toBe(true);
  await stopTree(child.pid, 100);
  expect([child.pid, nested].filter(isAlive)).toEqual([]);
});
