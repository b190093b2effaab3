import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { findTimeZone, type TimeZone } from "../lib/time-zone.ts";
import { BUCKETS, type BucketSize, cutInto } from "./buckets.ts";
import { readEnd, readStart, wholeQuarters } from "./date-range.ts";
import { QUARTER_MS, quarterOf } from "./rollup.ts";

function zoneOf(name: string): TimeZone {
  const zone = findTimeZone(name);
  if (!zone) throw new Error(`no zone ${name}`);
  return zone;
}

/** Half hours, three quarters, shifts of half an hour, midnights that are left out, a day that is left out. */
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "America/Santiago",
  "Asia/Beirut",
  "Pacific/Apia",
  "America/St_Johns",
  "Pacific/Kiritimati",
];
const FROM = Date.parse("2010-01-01T00:00:00Z");
const TO = Date.parse("2040-01-01T00:00:00Z");
const DAY_MS = 86_400_000;

const cut = (size: BucketSize, zone: string, start: string, end: string) =>
  cutInto(size, zoneOf(zone), { start: Date.parse(start), end: Date.parse(end) });

describe("cutting time into buckets", () => {
  test("leaves no gap and no overlap, in any zone, and cuts at whole quarters", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.constantFrom(...BUCKETS),
        fc.integer({ min: FROM, max: TO }),
        fc.integer({ min: 0, max: 400 }),
        (name, size, from, length) => {
          const days = size === "hour" ? Math.min(length, 60) : length;
          const range = wholeQuarters({ start: from, end: from + days * DAY_MS });
          const buckets = cutInto(size, zoneOf(name), range);
          expect(buckets[0]?.start ?? range.end).toBe(range.start);
          expect(buckets.at(-1)?.end ?? range.end).toBe(range.end);
          for (const [index, { start, end }] of buckets.entries()) {
            expect(start).toBeLessThan(end);
            expect(quarterOf(start)).toBe(start);
            if (index > 0) expect(buckets[index - 1]?.end).toBe(start);
          }
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test("puts every moment into the day of its own calendar", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.integer({ min: FROM, max: TO }), (name, at) => {
        const zone = zoneOf(name);
        const day = zone.dayOf(at);
        expect(new Intl.DateTimeFormat("en-CA", { timeZone: name }).format(at)).toBe(
          new Date(day).toISOString().slice(0, 10),
        );
        expect(zone.startOf(day)).toBeLessThanOrEqual(at);
        expect(zone.dayOf(zone.startOf(day))).toBe(day);
        expect(zone.dayOf(zone.startOf(day) - QUARTER_MS)).toBeLessThan(day);
      }),
      { numRuns: runs(500) },
    );
  });

  test("a day lasts as long as the clocks say", () => {
    const spring = cut("day", "Europe/Berlin", "2026-03-27T23:00:00Z", "2026-03-30T22:00:00Z");
    expect(spring.map(({ label, start, end }) => [label, (end - start) / 3_600_000])).toEqual([
      ["2026-03-28", 24],
      ["2026-03-29", 23],
      ["2026-03-30", 24],
    ]);
    const autumn = cut("day", "America/New_York", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z");
    expect(autumn.map(({ label, start, end }) => [label, (end - start) / 3_600_000])).toEqual([["2026-11-01", 25]]);
  });

  test("an hour that comes twice is two, and half-hour zones have hours of their own", () => {
    const twice = cut("hour", "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z");
    expect(twice.map(({ label }) => label)).toEqual(["2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00"]);
    const india = cut("hour", "Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z");
    expect(india.map(({ label, end, start }) => [label, (end - start) / 60_000])).toEqual([
      ["2026-01-01T05:30+05:30", 30],
      ["2026-01-01T06:00+05:30", 30],
    ]);
  });

  test("weeks begin on Monday, months on their first, and a day that was left out is left out", () => {
    const weeks = cut("week", "UTC", "2026-11-11T00:00:00Z", "2026-11-24T00:00:00Z");
    expect(weeks.map(({ label }) => label)).toEqual(["2026-11-09", "2026-11-16", "2026-11-23"]);
    const months = cut("month", "Asia/Kathmandu", "2026-01-31T18:14:00Z", "2026-01-31T18:16:00Z");
    expect(months.map(({ label }) => label)).toEqual(["2026-01", "2026-02"]);
    const samoa = cut("day", "Pacific/Apia", "2011-12-29T10:00:00Z", "2012-01-01T10:00:00Z");
    expect(samoa.map(({ label }) => label)).toEqual(["2011-12-29", "2011-12-31", "2012-01-01"]);
  });

  test("more buckets than anybody reads are refused", () => {
    expect(() => cut("hour", "UTC", "2020-01-01T00:00:00Z", "2026-01-01T00:00:00Z")).toThrow(/longer bucket/);
  });
});

describe("dates of a query", () => {
  const berlin = zoneOf("Europe/Berlin");

  test("a date is the whole day in the zone, an instant is exact and ends before itself", () => {
    expect(readStart("2026-03-29", berlin)).toBe(Date.parse("2026-03-28T23:00:00Z"));
    expect(readEnd("2026-03-29", berlin)).toBe(Date.parse("2026-03-29T22:00:00Z"));
    expect(readEnd("2026-03-29T12:00:00Z", berlin)).toBe(Date.parse("2026-03-29T12:00:00Z"));
    expect(readStart("2026-03-29T12:00:00+05:45", berlin)).toBe(Date.parse("2026-03-29T06:15:00Z"));
  });

  test.each([
    "",
    "yesterday",
    "2026-02-30",
    "2026-13-01",
    "2026-1-1",
    "12",
    "2026-01-01T00:00:00",
    "2026-01-01T25:00:00Z",
    "2026-02-29T12:00:00Z",
    "2026-04-31T00:00:00+02:00",
  ])("%p is no date", (text) => {
    expect(() => readStart(text, berlin)).toThrow(/not a date/);
  });
});
