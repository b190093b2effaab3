import { expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VERSION } from "../typescript/src/version.ts";
import { startModel } from "./participants.ts";

const sdk = join(import.meta.dir, "..");
const readmeOf = (name: string) => readFileSync(join(sdk, name, "README.md"), "utf8");
const firstBlock = (text: string) => /```\w+\n([\s\S]*?)```/.exec(text)?.[1] ?? "";

/** Runs the first example of a README as somebody would who copied it, and speaks to it. */
async function tryExample(file: string, text: string, command: (path: string) => string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-readme-"));
  try {
    const modules = join(folder, "node_modules/@turnpike/participant");
    mkdirSync(modules, { recursive: true });
    cpSync(join(sdk, "typescript/src"), join(modules, "src"), { recursive: true });
    writeFileSync(join(modules, "package.json"), '{"name":"@turnpike/participant","exports":"./src/index.ts"}');
    const path = join(folder, file);
    writeFileSync(path, text);
    const env = { PORT: "0", PYTHONPATH: join(sdk, "python") };
    const example = await startModel({ name: file, command: command(path) }, {}, env);
    try {
      const body = JSON.stringify({ parameters: null, dataset: [{ x: 3 }, { x: 5 }] });
      const trained = (await (await fetch(`${example.url}/train`, { method: "POST", body })).json()) as {
        parameters: string;
      };
      expect(Buffer.from(trained.parameters, "base64").readDoubleLE(0)).toBeCloseTo(0.77, 10);
      const merge = JSON.stringify({ parameters_list: [trained.parameters, trained.parameters] });
      const merged = await (await fetch(`${example.url}/aggregate`, { method: "POST", body: merge })).json();
      expect(merged).toEqual({ parameters: trained.parameters });
    } finally {
      await example.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the first example of the TypeScript README runs", () =>
  tryExample("example.ts", firstBlock(readmeOf("typescript")), (path) => [process.execPath, path]));

test.skipIf(Bun.which("python3") === null)("the first example of the Python README runs", () =>
  tryExample("example.py", firstBlock(readmeOf("python")), (path) => ["python3", "-u", path]),
);

test("versions in manifests and code are the same", () => {
  const manifest = JSON.parse(readFileSync(join(sdk, "typescript/package.json"), "utf8"));
  const project = readFileSync(join(sdk, "python/pyproject.toml"), "utf8");
  const python = readFileSync(join(sdk, "python/turnpike_participant/_version.py"), "utf8");
  expect(manifest.version).toBe(VERSION);
  expect(/^version = "(.*)"$/m.exec(project)?.[1]).toBe(VERSION);
  expect(python).toBe(`VERSION = "${VERSION}"\n`);
  expect(manifest.dependencies).toBeUndefined();
  expect(project).toContain("dependencies = []");
});
