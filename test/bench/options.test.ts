import { expect, test } from "bun:test";
import { parseOptions } from "../../bench/options.ts";

test("a quick run measures a few workloads in short rounds, and each option overrides it", () => {
  expect(parseOptions(["--quick"])).toMatchObject({
    rounds: 2,
    warmUp: 1,
    share: 0.1,
    roundSeconds: 6,
    only: ["chat", "stream", "prompt-40k"],
  });
  expect(parseOptions(["--quick", "--rounds", "5", "--only", "mix"])).toMatchObject({ rounds: 5, only: ["mix"] });
  expect(parseOptions([])).toMatchObject({ rounds: 3, warmUpShare: 1, roundSeconds: null, only: [] });
});

test("a number that is not above zero is rejected under the name of its option", () => {
  expect(() => parseOptions(["--share", "none"])).toThrow("--share must be a number above zero, not none.");
  expect(() => parseOptions(["--rounds", "0"])).toThrow("--rounds");
  expect(parseOptions(["--help"])).toBeNull();
});
