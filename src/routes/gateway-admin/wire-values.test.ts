import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { durationOf, expiryOf, modelLimitsOf, nanoOf, usdOf, windowOf } from "./wire-values.ts";

describe("amounts", () => {
  test.each([
    [0.1, 100_000_000],
    [0.3, 300_000_000],
    [1e-9, 1],
    [1.1e-7, 110],
    [4_199_999.123456789, 4_199_999_123_456_789],
    [0, 0],
  ])("%p dollars are exactly %p nano-USD", (usd, nano) => expect(nanoOf(usd)).toBe(nano));

  test("every amount that the schema takes comes back as it went out", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 8_000_000n * 1_000_000_000n }), (nano) => {
        expect(nanoOf(usdOf(nano))).toBe(Number(nano));
      }),
    );
  });
});

describe("durations", () => {
  test("windows have several spellings and come back in one", () => {
    expect(["1h", "24h", "1d", "7d", "1w", "30d", "1mo"].map((text) => durationOf(windowOf(text) ?? null))).toEqual([
      "1h",
      "1d",
      "1d",
      "7d",
      "7d",
      "30d",
      "30d",
    ]);
    expect(["30s", "012h", "2w", "90d", "3mo", "60m"].map((text) => durationOf(windowOf(text) ?? null))).toEqual([
      "30s",
      "12h",
      "2w",
      "90d",
      "3mo",
      "1h",
    ]);
    expect(["hourly", "Daily", "weekly", "monthly"].map((text) => windowOf(text))).toEqual([
      "hour",
      "day",
      "week",
      "month",
    ]);
    for (const text of ["", "None", "null"]) expect(windowOf(text)).toBeNull();
    for (const text of ["0d", "101mo1", "36501d", "1y", "1.5h", "d"]) expect(() => windowOf(text)).toThrow("must be");
    expect(() => windowOf("constructor")).toThrow("budget_duration: must be a number and a unit");
  });

  test("-1 is no end", () => expect(expiryOf(0, "-1")).toBeNull());
});

test("a map of limits that is left out stays, one that is null goes", () => {
  const present = { a: { rpm: 1, tpm: 2 }, b: { tpm: 3 } };
  expect(modelLimitsOf({ a: 5 }, undefined, present)).toEqual({ a: { rpm: 5, tpm: 2 }, b: { tpm: 3 } });
  expect(modelLimitsOf(undefined, null, present)).toEqual({ a: { rpm: 1 } });
  expect(modelLimitsOf(undefined, undefined, present)).toBeUndefined();
});
