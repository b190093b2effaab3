import { afterAll, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { preparePython } from "./prepare-python.ts";
import { newFolder, startTurnpike } from "./process.ts";

const python = await preparePython();
const folder = newFolder();
afterAll(() => folder.remove());

test.skipIf(python === null)(
  "the official Python client's helpers for assistants, runs, files and responses work",
  async () => {
    const turnpike = await startTurnpike(folder.path);
    try {
      const key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
      const suite = fileURLToPath(new URL("python/assistants.py", import.meta.url));
      // The client says of this interface that its vendor gives it up.
      const child = Bun.spawn([python ?? "", "-W", "ignore", suite, `${turnpike.url}/v1`, key], { stderr: "pipe" });
      const lines = (await new Response(child.stdout).text()).trim().split("\n");
      const results = lines.map((line) => JSON.parse(line) as { name: string; ok: boolean; why?: string });
      expect(results.filter(({ ok }) => !ok)).toEqual([]);
      expect(results).toHaveLength(5);
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
    } finally {
      turnpike.kill("SIGKILL");
      await turnpike.exited;
    }
  },
  180_000,
);
