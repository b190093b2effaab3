import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { divide, rowsOf, splitForTest } from "../../examples/digits/data.ts";
import { runScenario, type Scenario } from "../../examples/digits/scenario.ts";

// The whole table is `npm run example:digits`; this is its short form. Seeds are fixed and margins wide.
const SMALL: Scenario = {
  name: "short",
  participants: 6,
  skewed: false,
  rounds: 4,
  epochs: 2,
  rate: 0.1,
  liars: 0,
  strategy: { name: "fedavg" },
};
const accuracyOf = async (scenario: Scenario) => (await runScenario(scenario, null, 1)).rounds.at(-1)?.accuracy ?? 0;

test.each([
  [["--help"], 0, "--seeds NUMBER"],
  [["--bogus"], 2, "Unknown option '--bogus'"],
  [["--seed", "abc"], 2, "--seed is a whole number of 0 or more"],
])("the example with %p says how it is called", (flags, code, words) => {
  const file = join(import.meta.dir, "../../examples/digits/run.ts");
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, file, ...flags]);
  expect(exitCode).toBe(code);
  const text = `${stdout}${stderr}`;
  expect(text).toContain(words);
  expect(text).toContain("npm run example:digits -- [options]");
});

test("the data are those that are spoken of", () => {
  const bytes = readFileSync(join(import.meta.dir, "../../examples/digits/digits.u8"));
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(
    "68aea062d35a127749050fa0e52dca09d6569ac08092c925610e0954e172dde2",
  );
  const { train, test: kept } = splitForTest(1);
  expect(new Set([...train, ...kept]).size).toBe(1797);
  const shares = divide(train, 10, true, 1);
  expect(new Set(shares.flat()).size).toBe(train.length);
  for (const share of shares) expect(new Set(rowsOf(share).labels).size).toBeLessThanOrEqual(4);
});

let plain: Promise<number> | null = null;
const plainAccuracy = () => {
  plain ??= accuracyOf(SMALL);
  return plain;
};

test("participants learn digits together over HTTP", async () => {
  expect(await plainAccuracy()).toBeGreaterThan(0.85);
}, 60_000);

test("they learn the same when the coordinator sees only sums", async () => {
  const { rounds } = await runScenario({ ...SMALL, secure: true }, null, 1);
  expect(rounds.every(({ secure, replies }) => secure !== undefined && replies.length === 6)).toBe(true);
  expect(Math.abs((rounds.at(-1)?.accuracy ?? 0) - (await plainAccuracy()))).toBeLessThan(0.02);
}, 60_000);

test("two liars of six break the mean and not the trimmed mean", async () => {
  const attacked = { ...SMALL, liars: 2, rounds: 3 };
  expect(await accuracyOf(attacked)).toBeLessThan(0.5);
  expect(await accuracyOf({ ...attacked, strategy: { name: "trimmed_mean", f: 2 } })).toBeGreaterThan(0.75);
}, 60_000);
