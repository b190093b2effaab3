import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";

/** In a process of its own: here everything was used already. Tells whose structure is another one after first uses. */
const script = (fills: boolean): string => `
  import { describe } from "bun:jsc";
  const structures = () => [Promise, Date, Bun].map((one) => /StructureID: (\\d+)/.exec(describe(one))[1]);
  if (${fills}) (await import(${JSON.stringify(fileURLToPath(new URL("../../src/start/fill-builtins.ts", import.meta.url)))})).fillBuiltins();
  const before = structures();
  await Promise.allSettled([]);
  Date.UTC(2026);
  Bun.deepEquals({}, {});
  console.log(JSON.stringify(structures().map((one, index) => one === before[index])));`;

function isSame(fills: boolean): unknown {
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", script(fills)]);
  expect(stderr.toString()).toBe("");
  return JSON.parse(stdout.toString());
}

test("nothing of the runtime's own is another object to compiled code once it is first used", () => {
  expect(isSame(false)).toEqual([false, false, false]);
  expect(isSame(true)).toEqual([true, true, true]);
});
