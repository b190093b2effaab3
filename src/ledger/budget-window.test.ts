import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import type { BudgetWindow } from "../contract/duration.ts";
import { BudgetWindows, windowAt } from "./budget-window.ts";

const iso = (kind: BudgetWindow, zone: string, at: string): string[] => {
  const { startMs, endMs } = windowAt(kind, zone, Date.parse(at));
  return [startMs, endMs].map((ms) => new Date(ms).toISOString().replace(":00.000Z", "Z"));
};

const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "UTC");
const moment = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
const LENGTHS = ["30s", "7m", "90m", "5h", "12h", "2d", "10d", "2w", "3mo", "12mo"] as const;
const timed = fc.constantFrom<BudgetWindow>("hour", "day", "week", "month", ...LENGTHS);
const kind = fc.oneof(timed, fc.constant<BudgetWindow>("total"));

describe("the window of a budget", () => {
  test.each([
    ["day", "Europe/Berlin", "2026-03-29T10:00Z", "2026-03-28T23:00Z", "2026-03-29T22:00Z"],
    ["day", "Europe/Berlin", "2026-10-25T10:00Z", "2026-10-24T22:00Z", "2026-10-25T23:00Z"],
    ["day", "America/New_York", "2026-11-15T04:59Z", "2026-11-14T05:00Z", "2026-11-15T05:00Z"],
    ["week", "UTC", "2026-11-15T23:59Z", "2026-11-09T00:00Z", "2026-11-16T00:00Z"],
    ["week", "Asia/Kolkata", "2026-11-15T18:30Z", "2026-11-15T18:30Z", "2026-11-22T18:30Z"],
    ["month", "America/Los_Angeles", "2026-11-01T06:59Z", "2026-10-01T07:00Z", "2026-11-01T07:00Z"],
    ["month", "America/Los_Angeles", "2026-11-01T07:00Z", "2026-11-01T07:00Z", "2026-12-01T08:00Z"],
    ["hour", "Asia/Kathmandu", "2026-05-05T05:20Z", "2026-05-05T05:15Z", "2026-05-05T06:15Z"],
    // On Lord Howe Island clocks are put forward and back by half an hour: 2:00 is 2:30, and 1:30 comes twice.
    ["hour", "Australia/Lord_Howe", "2026-10-03T15:29Z", "2026-10-03T14:30Z", "2026-10-03T15:30Z"],
    ["hour", "Australia/Lord_Howe", "2026-10-03T15:30Z", "2026-10-03T15:30Z", "2026-10-03T16:00Z"],
    ["hour", "Australia/Lord_Howe", "2026-10-03T16:00Z", "2026-10-03T16:00Z", "2026-10-03T17:00Z"],
    ["hour", "Australia/Lord_Howe", "2026-04-04T14:59Z", "2026-04-04T14:00Z", "2026-04-04T15:30Z"],
    ["hour", "Australia/Lord_Howe", "2026-04-04T15:00Z", "2026-04-04T14:00Z", "2026-04-04T15:30Z"],
    ["hour", "Europe/Berlin", "2026-10-25T01:10Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z"],
    ["day", "Pacific/Chatham", "2026-04-04T14:00Z", "2026-04-04T10:15Z", "2026-04-05T11:15Z"],
    // Others are counted from Monday, 1 January 2024; fixed lengths do not follow the clocks to summer time.
    ["12h", "Europe/Berlin", "2026-11-19T12:00Z", "2026-11-19T11:00Z", "2026-11-19T23:00Z"],
    ["12h", "Europe/Berlin", "2026-07-19T12:00Z", "2026-07-19T11:00Z", "2026-07-19T23:00Z"],
    ["2w", "Europe/Berlin", "2026-11-19T12:00Z", "2026-11-15T23:00Z", "2026-11-29T23:00Z"],
    ["3mo", "UTC", "2026-11-19T12:00Z", "2026-10-01T00:00Z", "2027-01-01T00:00Z"],
    ["12mo", "UTC", "2023-11-19T12:00Z", "2023-01-01T00:00Z", "2024-01-01T00:00Z"],
    ["3d", "UTC", "2024-01-03T12:00Z", "2024-01-01T00:00Z", "2024-01-04T00:00Z"],
    ["month", "UTC", "2028-02-29T23:59Z", "2028-02-01T00:00Z", "2028-03-01T00:00Z"],
    // Midnight is left out in Beirut when summer begins, and comes twice in St John's before 2011.
    ["day", "Asia/Beirut", "2026-03-29T12:00Z", "2026-03-28T22:00Z", "2026-03-29T21:00Z"],
    ["day", "America/St_Johns", "2010-11-07T03:00Z", "2010-11-07T02:30Z", "2010-11-08T03:30Z"],
  ] as const)("of a %s in %s at %s is %s to %s", (kind, zone, at, start, end) => {
    expect(iso(kind, zone, at)).toEqual([start, end]);
  });

  test("has the moment in it, and every moment of it has the same window", () => {
    fc.assert(
      fc.property(kind, zone, moment, fc.double({ min: 0, max: 1, noNaN: true }), (kind, zone, at, where) => {
        const window = windowAt(kind, zone, at);
        expect(window.startMs).toBeLessThanOrEqual(at);
        expect(window.endMs).toBeGreaterThan(at);
        if (kind === "total") return;
        const other = Math.floor(window.startMs + where * (window.endMs - window.startMs - 1));
        expect(windowAt(kind, zone, other)).toEqual(window);
      }),
      { numRuns: runs(500) },
    );
  });

  test("is followed by the next one at once", () => {
    fc.assert(
      fc.property(timed, zone, moment, (kind, zone, at) => {
        const { endMs } = windowAt(kind, zone, at);
        expect(windowAt(kind, zone, endMs).startMs).toBe(endMs);
      }),
      { numRuns: runs(500) },
    );
  });

  test("begins where the zone's calendar shows a new day or month for the first time", () => {
    fc.assert(
      fc.property(fc.constantFrom("day", "month"), zone, moment, (kind, zone, at) => {
        const calendar = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
        const shown = (ms: number) => calendar.format(ms).slice(0, kind === "day" ? 10 : 7);
        const { startMs, endMs } = windowAt(kind, zone, at);
        expect(shown(startMs) > shown(startMs - 1)).toBe(true);
        expect(shown(endMs) > shown(startMs)).toBe(true);
        expect(shown(endMs - 1) <= shown(startMs) && shown(at) <= shown(startMs)).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  test("of a total never ends", () => {
    expect(windowAt("total", "Europe/Berlin", 5)).toEqual({ startMs: 0, endMs: Number.POSITIVE_INFINITY });
  });

  test("is remembered until it is over", () => {
    const windows = new BudgetWindows();
    const day = windows.at("day", "Europe/Berlin", Date.parse("2026-06-01T12:00Z"));
    expect(windows.at("day", "Europe/Berlin", day.endMs - 1)).toBe(day);
    expect(windows.at("day", "Europe/Berlin", day.endMs).startMs).toBe(day.endMs);
  });
});
