import { describe, expect, test } from "bun:test";
import { expiryReader, orNever, readSeconds } from "./read-expiry.ts";

const NOW = Date.parse("2026-12-15T10:00:00Z");
const read = expiryReader(() => NOW);

describe("when something ends", () => {
  test.each([
    ["30d", "2027-01-14T10:00:00.000Z"],
    ["30 days", "2027-01-14T10:00:00.000Z"],
    ["12h", "2026-12-15T22:00:00.000Z"],
    ["12H", "2026-12-15T22:00:00.000Z"],
    ["90m", "2026-12-15T11:30:00.000Z"],
    ["1 week", "2026-12-22T10:00:00.000Z"],
    ["2mo", "2027-02-15T10:00:00.000Z"],
    ["1y", "2027-12-15T10:00:00.000Z"],
    ["6 months", "2027-06-15T10:00:00.000Z"],
    ["2027-01-31", "2027-01-31T00:00:00.000Z"],
    ["2027-01-31T12:00:00Z", "2027-01-31T12:00:00.000Z"],
    ["2027-01-31 12:00+02:00", "2027-01-31T10:00:00.000Z"],
    ["2027-01-31T12:00:00.5+0200", "2027-01-31T10:00:00.500Z"],
  ])("may be said as %s", (text, moment) => {
    expect(read(text)).toBe(moment);
  });

  test("is the last day of a month that has no such day", () => {
    const ending = expiryReader(() => Date.parse("2027-01-31T10:00:00Z"));
    expect(["1mo", "2mo", "13mo"].map(ending)).toEqual([
      "2027-02-28T10:00:00.000Z",
      "2027-03-31T10:00:00.000Z",
      "2028-02-29T10:00:00.000Z",
    ]);
  });

  test("may be never", () => {
    expect([orNever(read("never")), orNever(read("none")), orNever(undefined)]).toEqual([null, null, undefined]);
  });

  test.each(["", "soon", "30", "30x", "-1d", "2027-02-30", "2027-13-01", "999999y", "31.01.2027", "5ms"])(
    "is not %p",
    (text) => {
      expect(() => read(text)).toThrow("such as 30d, 12h, 2027-01-31 or never");
    },
  );

  test("needs a zone where it is a time, and lies ahead", () => {
    expect(() => read("2027-01-31T12:00")).toThrow("needs its zone");
    expect(() => read("2026-12-15")).toThrow("lies in the past");
    expect(() => read("0d")).toThrow("lies in the past");
  });
});

test("a number of seconds may be said as a duration", () => {
  expect(["3600", "0", "1h", "12H", "7 days", "30m"].map(readSeconds)).toEqual([
    3_600, 0, 3_600, 43_200, 604_800, 1_800,
  ]);
  for (const text of ["", "1mo", "5ms", "-1", "soon"]) expect(() => readSeconds(text)).toThrow("a number of seconds");
});
