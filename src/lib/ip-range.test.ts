import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileRanges, formatRange, networkOf, parseRange, siteOf } from "./ip-range.ts";

const canonical = (text: string): string | null => {
  const range = parseRange(text);
  return range && formatRange(range);
};
const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
const anyV4 = fc.integer({ min: 0, max: 0xffffffff }).map(dotted);
const anyV6 = fc.ipV6();

describe("a range", () => {
  test.each([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["192.0.2.1", "192.0.2.1"],
    ["192.0.2.1/32", "192.0.2.1"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["2001:db8::1/32", "2001:db8::/32"],
    ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["::", "::"],
    ["::/0", "::/0"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:0201", "192.0.2.1"],
    ["::ffff:10.0.0.0/104", "10.0.0.0/8"],
    ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"],
  ])("%s is written %s", (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  test.each([
    "",
    "localhost",
    "10.0.0",
    "10.0.0.256",
    "010.0.0.1",
    "0x7f.1",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "::/129",
    "1::2::3",
    "fe80::1%eth0",
    " 10.0.0.1",
    "10.0.0.1 ",
    "[::1]",
    "*",
  ])("%p is none", (text) => {
    expect(parseRange(text)).toBeNull();
  });

  test("is written so that reading it again gives the same, for every address and prefix", () => {
    const anyRange = fc.oneof(
      fc.tuple(anyV4, fc.integer({ min: 0, max: 32 })),
      fc.tuple(anyV6, fc.integer({ min: 0, max: 128 })),
    );
    fc.assert(
      fc.property(anyRange, ([address, prefix]) => {
        const written = canonical(`${address}/${prefix}`);
        // A range of IPv6 that is wider than all of IPv4 does not hold the IPv4 address that was written in it.
        fc.pre(prefix >= 96 || !canonical(address)?.includes(".") || !address.includes(":"));
        expect(written).not.toBeNull();
        expect(canonical(written ?? "")).toBe(written);
        expect(compileRanges([written ?? ""]).has(address)).toBe(true);
      }),
    );
  });

  test("holds the addresses that share its first bits and no others", () => {
    const value = fc.integer({ min: 0, max: 0xffffffff });
    fc.assert(
      fc.property(value, value, fc.integer({ min: 0, max: 32 }), (a, b, prefix) => {
        const shared = Math.clz32(a ^ b) >= prefix;
        expect(compileRanges([`${dotted(a)}/${prefix}`]).has(dotted(b))).toBe(shared);
        expect(compileRanges([`${dotted(a)}/${prefix}`]).has(`::ffff:${dotted(b)}`)).toBe(shared);
      }),
    );
  });
});

describe("a list of ranges", () => {
  const ranges = compileRanges(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "not an address"]);

  test.each(["10.255.0.1", "::ffff:10.0.0.1", "192.0.2.7", "2001:db8:ffff::1", "2001:db8::1%eth0"])(
    "has %s",
    (text) => {
      expect(ranges.has(text)).toBe(true);
    },
  );

  test.each(["11.0.0.1", "192.0.2.8", "2001:db9::", "::a00:1", "", "not an address", "10.0.0.0/8"])(
    "does not have %p",
    (text) => {
      expect(ranges.has(text)).toBe(false);
    },
  );

  test("of IPv6 does not hold IPv4 by accident, nor the other way round", () => {
    expect(compileRanges(["::/0"]).has("10.0.0.1")).toBe(false);
    expect(compileRanges(["0.0.0.0/0"]).has("::1")).toBe(false);
  });
});

test("an IPv6 caller counts by its /64 network, an IPv4 one by itself", () => {
  expect(networkOf("2001:db8:1:2:3:4:5:6")).toBe(networkOf("2001:db8:1:2::1"));
  expect(networkOf("2001:db8:1:3::1")).not.toBe(networkOf("2001:db8:1:2::1"));
  expect(networkOf("::ffff:192.0.2.1")).toBe("192.0.2.1");
  expect(networkOf("unix")).toBe("unix");
});

test("a site is the /48 of an IPv6 caller, and an IPv4 one by itself", () => {
  expect(siteOf("2001:db8:1:2::1")).toBe(siteOf("2001:db8:1:ffff::9"));
  expect(siteOf("2001:db8:2::1")).not.toBe(siteOf("2001:db8:1::1"));
  expect(siteOf("192.0.2.1")).toBe("192.0.2.1");
});
