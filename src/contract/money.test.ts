import { expect, test } from "bun:test";
import fc from "fast-check";
import { formatUsd } from "./money.ts";

test.each([
  [0n, "0"],
  [1n, "0.000000001"],
  [1_000_000_000n, "1"],
  [12_345_678_901n, "12.345678901"],
  [-1_500_000_000n, "-1.5"],
  [9_007_199_254_740_993_000_000_001n, "9007199254740993.000000001"],
])("%p nano-USD are %s US dollars", (nano, text) => {
  expect(formatUsd(nano)).toBe(text);
});

test("no digit is lost, for any amount", () => {
  fc.assert(
    fc.property(fc.bigInt(), (nano) => {
      const [whole = "", fraction = ""] = formatUsd(nano < 0n ? -nano : nano).split(".");
      expect(BigInt(whole + fraction.padEnd(9, "0"))).toBe(nano < 0n ? -nano : nano);
    }),
  );
});
