import { expect, test } from "bun:test";
import { cpuMicros, residentBytes } from "../../bench/processes.ts";

test("the time and the memory of a process are told with those of its children", async () => {
  const before = cpuMicros(process.pid);
  const child = Bun.spawn(
    [process.execPath, "-e", "while (process.cpuUsage().user < 100_000); await Bun.stdin.text()"],
    {
      stdin: "pipe",
      stdout: "ignore",
    },
  );
  // It works by its own clock, and is looked at until it has worked: a busy machine lets it wait.
  while (cpuMicros(child.pid) < 20_000) await Bun.sleep(5);
  const [own, all] = [cpuMicros(child.pid), cpuMicros(process.pid) - before];
  expect(all).toBeGreaterThan(own * 0.9);
  expect(residentBytes(process.pid)).toBeGreaterThan(residentBytes(child.pid));
  child.stdin.end();
  await child.exited;
  expect(cpuMicros(child.pid)).toBe(0);
});
