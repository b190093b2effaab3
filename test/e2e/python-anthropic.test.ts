import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DIALECTS, startUpstreams } from "./dialect-upstreams.ts";
import { preparePython } from "./prepare-python.ts";
import { newFolder } from "./process.ts";
import { runPythonSuite } from "./python-suite.ts";

const python = await preparePython();
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
    const models = DIALECTS.map(({ name, noReasoning }) => ({ name, thinks: noReasoning !== true }));
    const asked = { folder: folder.path, suite: "messages.py", base: "" };
    const { results, ended } = await runPythonSuite(python, asked, JSON.stringify(models));
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(results.length).toBeGreaterThan(DIALECTS.length * 5);
    expect(ended).toEqual([0, ""]);
  },
  180_000,
);
