import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { ensureImage } from "./ensure-image.mjs";

const roots = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A program that prints a word and its root. */
function program(word) {
  const root = mkdtempSync(join(tmpdir(), "turnpike image "));
  roots.push(root);
  mkdirSync(join(root, "src/storage/sqlite"), { recursive: true });
  writeFileSync(join(root, "package.json"), "{}");
  writeFileSync(join(root, "package-lock.json"), "{}");
  writeFileSync(join(root, "src/storage/sqlite/worker.ts"), "export const worker: number = 1;\n");
  writeFileSync(join(root, "src/other-worker.ts"), 'const word: string = "from a thread";\npostMessage(word);\n');
  say(root, word);
  return root;
}

const say = (root, word) =>
  writeFileSync(
    join(root, "src/main.ts"),
    `const thread = new Worker(new URL("./other-worker.js", import.meta.url).href);
thread.onmessage = ({ data }: MessageEvent) => {
  console.log(${JSON.stringify(word)}, data, process.env.TURNPIKE_ROOT);
  try {
    fail();
  } catch (thrown) {
    console.log((thrown as Error).stack);
  }
  process.exit();
};
function fail(): never {
  throw new Error("as expected");
}
`,
  );

const ensure = (root, mayBuild = true) => ensureImage({ root, bun: process.execPath, mayBuild });
const outputOf = (program) => Bun.spawnSync(program).stdout.toString().trim();
const nameOf = (image) => basename(dirname(image));
const imagesIn = (root) => readdirSync(join(root, "dist"));

test("an image is made once, knows where the program lies, and has its threads and the places of its sources in it", async () => {
  const root = program("one");
  const [image, ...rest] = await ensure(root);
  expect(image).toStartWith(join(root, "dist"));
  expect(rest).toEqual([]);
  expect(imagesIn(root)).toEqual([nameOf(image)]);
  const output = outputOf([image]);
  expect(output).toContain(`one from a thread ${root}\n`);
  expect(output).toMatch(/at fail \(.*main\.ts:12:13\)/);
  expect(await ensure(root, false)).toEqual([image]);
});

test("a source, a package or a new file makes another image; the one before stays for those who run it", async () => {
  const root = program("one");
  const [first] = await ensure(root);
  say(root, "another");
  const [second] = await ensure(root);
  expect(outputOf([first])).toStartWith("one ");
  expect(outputOf([second])).toStartWith("another ");
  writeFileSync(join(root, "package-lock.json"), '{"changed": true}');
  const [third] = await ensure(root);
  writeFileSync(join(root, "src/new.ts"), "");
  const [fourth] = await ensure(root);
  expect(new Set([first, second, third, fourth]).size).toBe(4);
  expect(imagesIn(root).sort()).toEqual([nameOf(third), nameOf(fourth)].sort());
});

test("a test that changed makes no other image, a touched source does", async () => {
  const root = program("one");
  const image = await ensure(root);
  writeFileSync(join(root, "src/main.test.ts"), "");
  expect(await ensure(root)).toEqual(image);
  utimesSync(join(root, "src/main.ts"), 1, 1);
  expect(await ensure(root)).not.toEqual(image);
});

test("without an image the sources are started: where none may be made, and where none can be", async () => {
  const root = program("one");
  const main = join(root, "src/main.ts");
  const sources = [process.execPath, main];
  expect(await ensure(root, false)).toEqual(sources);
  writeFileSync(join(root, "src/storage/sqlite/worker.ts"), "this is no program");
  expect(await ensure(root)).toEqual(sources);
  expect(imagesIn(root)).toEqual([]);
  expect(await ensureImage({ root, bun: "/nowhere/bun", mayBuild: true })).toEqual(["/nowhere/bun", main]);
  rmSync(join(root, "dist"), { recursive: true });
  // A file where the folder should be: as good as a disk that may not be written to, also for root.
  writeFileSync(join(root, "dist"), "");
  expect(await ensure(root)).toEqual(sources);
});

test("what a start that was broken off has left behind is removed by a later one, and nothing that another is at", async () => {
  const root = program("one");
  for (const name of ["new-left", "new-other"]) mkdirSync(join(root, "dist", name), { recursive: true });
  const anHourAgo = Date.now() / 1000 - 3_601;
  utimesSync(join(root, "dist/new-left"), anHourAgo, anHourAgo);
  const [image] = await ensure(root);
  expect(imagesIn(root).sort()).toEqual([nameOf(image), "new-other"].sort());
});

test("many starts at once end with one whole image", async () => {
  const root = program("one");
  const programs = await Promise.all(Array.from({ length: 4 }, () => ensure(root)));
  expect(new Set(programs.map(([image]) => image)).size).toBe(1);
  expect(outputOf(programs[0])).toStartWith("one ");
  expect(imagesIn(root)).toHaveLength(1);
});

test.each(["SIGINT", "SIGTERM"])(
  "a start that %s ends while it makes an image leaves nothing behind",
  async (signal) => {
    const root = program("one");
    const module = JSON.stringify(join(import.meta.dir, "ensure-image.mjs"));
    // A builder that never ends.
    const bun = join(root, "bun");
    writeFileSync(bun, "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
    const options = JSON.stringify({ root, bun, mayBuild: true });
    const source = `const { ensureImage } = await import(${module}); await ensureImage(${options});`;
    const start = Bun.spawn(["node", "--input-type=module", "-e", source], { stderr: "pipe" });
    for await (const chunk of start.stderr) if (Buffer.from(chunk).includes("Putting the program together")) break;
    start.kill(signal);
    expect(await start.exited).toBe(128 + { SIGINT: 2, SIGTERM: 15 }[signal]);
    expect(imagesIn(root)).toEqual([]);
  },
);
