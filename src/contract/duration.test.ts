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

  test.each(["", "0d", "1y", "d", "1.5h", "-3d"])("%j is no duration", (text) => {
    expect(() => momentAfter(0, text, "duration")).toThrow("duration: ");
  });
});
