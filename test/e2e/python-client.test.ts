import { afterAll, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DIALECTS, startUpstreams } from "./dialect-upstreams.ts";
import { newFolder, startTurnpike } from "./process.ts";

const CLIENT = "openai==3.49.0";

/** A Python with the official client, kept between runs; null, with the reason said, where it cannot be had. */
async function preparePython(): Promise<string | null> {
  const folder = fileURLToPath(
    new URL(`../../node_modules/.cache/python-${CLIENT.replace(/\W+/g, "-")}`, import.meta.url),
  );
  const python = join(folder, "bin", "python");
  const ready = join(folder, "ready");
  if (existsSync(ready) && (await Bun.spawn([python, "-c", "import openai"]).exited) === 0) return python;
  const steps = [
    ["python3", "-m", "venv", "--clear", folder],
    [
      python,
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--timeout",
      "20",
      "--retries",
      "1",
      CLIENT,
    ],
  ];
  for (const step of steps) {
    const child =
      Bun.which(step[0] ?? "") || existsSync(step[0] ?? "")
        ? Bun.spawn(step, { stdout: "ignore", stderr: "pipe" })
        : null;
    const code = child ? await child.exited : 127;
    if (code === 0) continue;
    const reason = child ? (await new Response(child.stderr).text()).trim().split("\n").at(-1) : "not installed";
    console.warn(`Tests with the Python client skipped: ${step.slice(0, 4).join(" ")} failed (${reason})`);
    return null;
  }
  writeFileSync(ready, "");
  return python;
}

const python = await preparePython();
const upstreams = python === null ? null : await startUpstreams();
const folder = newFolder();
afterAll(() => {
  upstreams?.stop();
  folder.remove();
});

test.skipIf(python === null)(
  "the official Python client works with every dialect and every operation",
  async () => {
    writeFileSync(join(folder.path, "turnpike.yaml"), upstreams?.yaml ?? "");
    const turnpike = await startTurnpike(folder.path);
    try {
      const key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
      const dialects = DIALECTS.map(({ name, embedding }) => ({ name, embedding }));
      const suite = fileURLToPath(new URL("python/suite.py", import.meta.url));
      const child = Bun.spawn([python ?? "", suite, `${turnpike.url}/v1`, key, JSON.stringify(dialects)], {
        stderr: "pipe",
      });
      const lines = (await new Response(child.stdout).text()).trim().split("\n");
      const results = lines.map((line) => JSON.parse(line) as { name: string; ok: boolean; why?: string });
      expect(results.filter(({ ok }) => !ok)).toEqual([]);
      expect(results.length).toBeGreaterThan(DIALECTS.length * 8);
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
    } finally {
      turnpike.kill("SIGKILL");
      await turnpike.exited;
    }
  },
  180_000,
);
