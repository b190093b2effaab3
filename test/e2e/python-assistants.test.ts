import { afterAll, expect, test } from "bun:test";
import { preparePython } from "./prepare-python.ts";
import { newFolder } from "./process.ts";
import { runPythonSuite } from "./python-suite.ts";

const python = await preparePython();
const folder = newFolder();
afterAll(() => folder.remove());

test.skipIf(python === null)(
  "the official Python client's helpers for assistants, runs, files, responses and conversations work",
  async () => {
    // The client says of this interface that its vendor gives it up.
    const asked = { folder: folder.path, suite: "assistants.py", flags: ["-W", "ignore"] };
    const { results, ended } = await runPythonSuite(python, asked);
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(results).toHaveLength(6);
    expect(ended).toEqual([0, ""]);
  },
  180_000,
);
