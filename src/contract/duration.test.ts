import { describe, expect, test } from "bun:test";
import { momentAfter } from "./duration.ts";

describe("durations", () => {
  test.each([
    ["30s", 30_000],
    ["30m", 1_800_000],
    ["30h", 108_000_000],
    ["30d", 2_592_000_000],
    ["1w", 604_800_000],
    ["1mo", 2_678_400_000],
  ])("%s from the beginning of January", (text, ms) => expect(momentAfter(0, text, "duration")).toBe(ms));

  test.each([
    ["2026-01-31", "1mo", "2026-02-28"],
    ["2028-01-31", "1mo", "2028-02-29"],
    ["2026-08-31", "3mo", "2026-11-30"],
    ["2026-12-15", "2mo", "2027-02-15"],
  ])("from %s %s is to %s", (from, text, to) => {
    expect(momentAfter(Date.parse(from), text, "duration")).toBe(Date.parse(to));
  });

  test.each(["", "0d", "1y", "d", "1.5h", "-3d"])("%j is no duration", (text) => {
    expect(() => momentAfter(0, text, "duration")).toThrow("duration: ");
  });
});
