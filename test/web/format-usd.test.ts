import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { exactUsd, shortUsd } from "../../web/src/components/format-usd.ts";

/** Back from the text, to nano-USD. */
function read(text: string): bigint {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)\$([\d,]+)\.(\d{2,9})$/.exec(text) ?? [];
  const size = BigInt(whole.replaceAll(",", "")) * 1_000_000_000n + BigInt(fraction.padEnd(9, "0"));
  return sign === "-" ? -size : size;
}

describe("an amount", () => {
  test("is written exactly, whatever it is", () => {
    fc.assert(fc.property(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), (nano) => read(exactUsd(nano)) === nano));
  });

  test.each([
    [0, "$0.00"],
    ["12000000000", "$12.00"],
    [1_234_567_890_123, "$1,234.57"],
    [123_456_789, "$0.1235"],
    [1_234_567, "$0.001235"],
    [-5_000_000_000, "-$5.00"],
    [400, "< $0.000001"],
    [999_999_999, "$1.00"],
  ] as const)("of %p nano-USD reads %p in short", (nano, text) => {
    expect(shortUsd(nano)).toBe(text);
  });

  test("in short is never further from the exact one than half of its last digit", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1000n, max: 10n ** 17n }), (nano) => {
        const difference = read(shortUsd(nano)) - nano;
        const unit = nano >= 1_000_000_000n ? 10n ** 7n : nano >= 10_000_000n ? 10n ** 5n : 10n ** 3n;
        return (difference < 0n ? -difference : difference) * 2n <= unit;
      }),
    );
  });
});
