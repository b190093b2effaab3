import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DIALECTS, startUpstreams } from "./dialect-upstreams.ts";
import { ANTHROPIC, preparePython } from "./prepare-python.ts";
import { newFolder, startTurnpike } from "./process.ts";

const python = await preparePython(ANTHROPIC);
const upstreams = python === null ? null : await startUpstreams();
const folder = newFolder();
afterAll(() => {
  upstreams?.stop();
  folder.remove();
});

test.skipIf(python === null)(
  "Anthropic's official Python client works with every dialect",
  async () => {
    writeFileSync(join(folder.path, "turnpike.yaml"), upstreams?.yaml ?? "");
    const turnpike = await startTurnpike(folder.path);
    try {
      const key = /Demo key +(sk-\w+)/.exec(turnpike.output())?.[1] ?? "";
      const models = DIALECTS.map(({ name, noReasoning }) => ({ name, thinks: noReasoning !== true }));
      const suite = fileURLToPath(new URL("python/messages.py", import.meta.url));
      const child = Bun.spawn([python ?? "", suite, turnpike.url, key, JSON.stringify(models)], { stderr: "pipe" });
      const lines = (await new Response(child.stdout).text()).trim().split("\n");
      const results = lines.map((line) => JSON.parse(line) as { name: string; ok: boolean; why?: string });
      expect(results.filter(({ ok }) => !ok)).toEqual([]);
      expect(results.length).toBeGreaterThan(DIALECTS.length * 5);
      expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
    } finally {
      turnpike.kill("SIGKILL");
      await turnpike.exited;
    }
  },
  180_000,
);
