import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandName } from "./command-name.mjs";

let folder = "";
let root = "";
let linked = "";

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "turnpike name ")));
  root = join(folder, "a clone's folder");
  linked = join(folder, "linked");
  for (const part of ["bin", "docs/decisions", "web/src"]) mkdirSync(join(root, part), { recursive: true });
  for (const part of ["package.json", "web/package.json", "bin/turnpike.mjs"]) writeFileSync(join(root, part), "");
  for (const part of ["linked", "other", "elsewhere"]) mkdirSync(join(folder, part));
  symlinkSync(join(root, "bin/turnpike.mjs"), join(linked, "turnpike"));
  writeFileSync(join(folder, "other/turnpike"), "");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const named = (cwd, env = {}) => commandName({ root, cwd, env: { PATH: "/usr/bin", ...env } });

test("in a clone, and anywhere in it, npm's script is what can be typed", () => {
  expect(named(root)).toBe("npm run -s turnpike --");
  expect(named(join(root, "docs/decisions"))).toBe("npm run -s turnpike --");
});

test("it is turnpike where that is this very program, wherever one is", () => {
  expect(named(root, { PATH: `/usr/bin:${linked}` })).toBe("turnpike");
  expect(named(join(folder, "elsewhere"), { PATH: linked })).toBe("turnpike");
  expect(named(root, { PATH: join(folder, "other") })).toBe("npm run -s turnpike --");
});

test("elsewhere, and in another package of the clone, it is the file, quoted for a shell", async () => {
  for (const at of [join(folder, "elsewhere"), join(root, "web/src")]) {
    const name = named(at);
    const { stdout } = Bun.spawnSync(["sh", "-c", `printf '%s\\n' ${name}`]);
    expect(stdout.toString()).toBe(`node\n${join(root, "bin/turnpike.mjs")}\n`);
  }
});

test("where npm was called counts, not the folder that it changed into", () => {
  expect(named(root, { INIT_CWD: join(folder, "elsewhere") })).toStartWith("node ");
  expect(named(join(folder, "elsewhere"), { INIT_CWD: root })).toBe("npm run -s turnpike --");
});
