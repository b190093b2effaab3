import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { cpuMicros, isAlive, residentBytes, stopTree } from "../../bench/processes.ts";

test("the time and the memory of a process include those of its children", async () => {
  // The shell itself needs hardly any of either.
  const busy = "while (process.cpuUsage().user < 100_000); await Bun.stdin.text()";
  const shell = Bun.spawn(["sh", "-c", '"$0" -e "$1"; true', process.execPath, busy], {
    stdin: "pipe",
    stdout: "ignore",
  });
  while (cpuMicros(shell.pid) < 50_000) await Bun.sleep(5);
  expect(residentBytes(shell.pid)).toBeGreaterThan(10 * 1024 ** 2);
  shell.stdin.end();
  await shell.exited;
  expect(cpuMicros(shell.pid)).toBe(0);
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
