import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { findTimeZone } from "../lib/time-zone.ts";
import { BUCKETS, cutInto } from "./buckets.ts";
import { DAY_MS, dayOf, QUARTER_MS, quarterOf } from "./rollup.ts";
import { spansOf } from "./spans.ts";

const FROM = Date.parse("2019-01-01T00:00:00Z");
const TO = Date.parse("2027-01-01T00:00:00Z");
const ZONES = ["UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Santiago"];

const zoneOf = (name: string) => {
  const zone = findTimeZone(name);
  if (!zone) throw new Error(name);
  return zone;
};

describe("where sums are read", () => {
  test("every quarter is read once, and a day only where all of it lies in one bucket", () => {
    const quarter = fc.integer({ min: FROM / QUARTER_MS, max: TO / QUARTER_MS });
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...BUCKETS),
        quarter,
        fc.nat(90 * 96),
        (name, size, from, length) => {
          const range = { start: from * QUARTER_MS, end: (from + length) * QUARTER_MS };
          const buckets = cutInto(size, zoneOf(name), range, 10_000);
          const spans = spansOf(buckets);
          let at = range.start;
          for (const span of spans) {
            expect(span.start).toBe(at);
            expect(span.end).toBeGreaterThan(at);
            at = span.end;
          }
          expect(at).toBe(range.end);
          for (const { by, start, end } of spans) {
            if (by === "quarter") continue;
            expect([dayOf(start), dayOf(end)]).toEqual([start, end]);
            for (let day = start; day < end; day += DAY_MS) {
              expect(buckets.filter((bucket) => bucket.start <= day && day + DAY_MS <= bucket.end)).toHaveLength(1);
            }
          }
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test("days of UTC are read as they are but for the present one, months of another zone but for their edges", () => {
    const now = Date.parse("2026-11-18T06:10:00Z");
    const range = { start: Date.parse("2026-07-27T00:00:00Z"), end: quarterOf(now) + QUARTER_MS };
    const today = Date.parse("2026-11-18T00:00:00Z");
    expect(spansOf(cutInto("day", zoneOf("UTC"), range))).toEqual([
      { by: "day", start: range.start, end: today },
      { by: "quarter", start: today, end: range.end },
    ]);
    const months = spansOf(cutInto("month", zoneOf("Asia/Kolkata"), range));
    const byQuarter = months.filter(({ by }) => by === "quarter");
    expect(byQuarter.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(4 * DAY_MS + range.end - today);
  });

  test("more pieces than a statement takes are read by quarter", () => {
    const weeks = cutInto("week", zoneOf("Europe/Berlin"), { start: FROM, end: TO });
    expect(spansOf(weeks)).toEqual([{ by: "quarter", start: FROM, end: TO }]);
    expect(spansOf([])).toEqual([]);
  });
});
