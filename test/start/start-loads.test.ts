import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import manifest from "../../package.json";

/** Generous: the machine may be busy. */
setDefaultTimeout(120_000);

interface Loaded {
  readonly packages: readonly string[];
  readonly traced: readonly string[];
}

function load(): Promise<Loaded> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "report-loaded.ts")], { stdout: "pipe" });
  return new Response(child.stdout).json() as Promise<Loaded>;
}

describe("a start", () => {
  const loading = load();

  // Each takes memory from every process and time from every start: what only some calls need is imported where they need it.
  test("loads the packages that every server needs, and no other", async () => {
    const { packages } = await loading;
    const ours = packages.filter((name) => Object.hasOwn(manifest.dependencies, name));
    expect(ours.sort()).toEqual(["aws4fetch", "commander", "jose", "kysely", "pino", "typebox", "yaml"]);
  });

  // The runtime would read the map of the image for its trace (src/lib/traceless-error.ts).
  test("makes no error while it loads that could be kept with its trace", async () => {
    const { traced } = await loading;
    expect(traced).toEqual([]);
  });
});
