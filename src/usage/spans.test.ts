import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findTimeZone } from "../lib/time-zone.ts";
import { BUCKETS, type BucketSize, cutInto, type TimeRange } from "./buckets.ts";
import { DAY_MS, dayOf, QUARTER_MS, quarterOf } from "./rollup.ts";
import { spansOf } from "./spans.ts";

const FROM = Date.parse("2019-01-01T00:00:00Z");
const TO = Date.parse("2027-01-01T00:00:00Z");
const ZONES = [
  "UTC",
  "Europe/London",
  "Europe/Berlin",
  "Asia/Tokyo",
  "Pacific/Apia",
  "America/New_York",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "America/Santiago",
];

const zoneOf = (name: string) => {
  const zone = findTimeZone(name);
  if (!zone) throw new Error(name);
  return zone;
};

/** How often each quarter is counted, by bucket. */
function countsOf(buckets: readonly TimeRange[]): Map<string, number> {
  const counts = new Map<string, number>();
  const bucketOf = (at: number) => buckets.find(({ start, end }) => at >= start && at < end)?.start;
  for (const { by, start, end, within, countsAt, isTaken } of spansOf(buckets)) {
    if (by === "day") expect([dayOf(start), dayOf(end)]).toEqual([start, end]);
    for (let at = start; at < end; at += QUARTER_MS) {
      const day = dayOf(at);
      if (within && (at - day < within.start || at - day >= within.end)) continue;
      // A day is read as one, whose own time is its beginning.
      const place = countsAt === null ? (by === "day" ? day : at) : day + countsAt;
      const name = `${at} in ${bucketOf(place)}`;
      counts.set(name, (counts.get(name) ?? 0) + (isTaken ? -1 : 1));
    }
  }
  return new Map([...counts].filter(([, count]) => count !== 0));
}

describe("where sums are read", () => {
  test("every quarter counts once, for its own bucket and no other", () => {
    const quarter = fc.integer({ min: FROM / QUARTER_MS, max: TO / QUARTER_MS });
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...BUCKETS),
        quarter,
        fc.nat(40 * 96),
        (name, size, from, length) => {
          const range = { start: from * QUARTER_MS, end: (from + length) * QUARTER_MS };
          const buckets = cutInto(size, zoneOf(name), range, 10_000);
          const expected = new Map<string, number>();
          for (const { start, end } of buckets) {
            for (let at = start; at < end; at += QUARTER_MS) expected.set(`${at} in ${start}`, 1);
          }
          const counts = countsOf(buckets);
          expect(counts.size).toBe(expected.size);
          expect([...counts].every(([quarterInBucket, count]) => expected.get(quarterInBucket) === count)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });

  /** How much of a range is read by quarter. */
  const byQuarter = (buckets: readonly TimeRange[]): number =>
    spansOf(buckets)
      .filter(({ by }) => by === "quarter")
      .map(({ start, end, within }) => (within ? ((end - start) / DAY_MS) * (within.end - within.start) : end - start))
      .reduce((sum, length) => sum + length, 0);

  test("little of a long range is read by quarter, whatever its zone", () => {
    const now = Date.parse("2026-11-18T06:10:00Z");
    const range = { start: Date.parse("2026-07-27T00:00:00Z"), end: quarterOf(now) + QUARTER_MS };
    const today = range.end - Date.parse("2026-11-18T00:00:00Z");
    const read = (size: BucketSize, zone: string) => byQuarter(cutInto(size, zoneOf(zone), range));
    expect(read("day", "UTC")).toBe(today);
    expect(read("month", "Asia/Kolkata")).toBe(4 * DAY_MS + today);
    const days = 114;
    // Two hours of each day in summer and one in winter, once to add and once to take off, and the day of the change.
    expect(read("day", "Europe/Berlin")).toBeLessThan((days / 24) * 2 * 2 * DAY_MS + 2 * DAY_MS);
    expect(read("day", "Asia/Kolkata")).toBeLessThan((days / 24) * 5.5 * 2 * DAY_MS + 2 * DAY_MS);
    expect(read("day", "Asia/Tokyo")).toBe(range.end - range.start);
  });

  test("more pieces than a statement takes are read by quarter", () => {
    const weeks = cutInto("week", zoneOf("Europe/Berlin"), { start: FROM, end: TO });
    expect(spansOf(weeks)).toMatchObject([{ by: "quarter", start: FROM, end: TO }]);
    expect(spansOf([])).toEqual([]);
  });
});
