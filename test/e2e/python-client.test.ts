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
  "the official Python client works with every dialect and every operation",
  async () => {
    writeFileSync(join(folder.path, "turnpike.yaml"), upstreams?.yaml ?? "");
    const dialects = DIALECTS.map(({ name, embedding }) => ({ name, embedding }));
    const asked = { folder: folder.path, suite: "suite.py" };
    const { results, ended } = await runPythonSuite(python, asked, JSON.stringify(dialects));
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(results.length).toBeGreaterThan(DIALECTS.length * 8);
    expect(ended).toEqual([0, ""]);
  },
  180_000,
);
