import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findRuntimes } from "../participants.ts";

const file = join(import.meta.dir, "vectors.json");
const expected = JSON.parse(readFileSync(file, "utf8"));
const { runtimes, remove } = await findRuntimes();
afterAll(remove);

for (const { name, command } of runtimes) {
  test(`${name} computes the vectors of secure aggregation`, async () => {
    const script = command.map((word) =>
      word.replace(/model\.(ts|js)$/, "secagg-vectors.$1").replace(/model\.py$/, "secagg_vectors.py"),
    );
    const child = Bun.spawn([...script, file], { stdout: "pipe", stderr: "inherit" });
    const text = await new Response(child.stdout).text();
    expect(await child.exited).toBe(0);
    expect(JSON.parse(text)).toEqual(expected);
  }, 60_000);
}
