import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BUDGET_WINDOWS, BudgetWindows, windowAt } from "./budget-window.ts";

const iso = (kind: "hour" | "day" | "week" | "month", zone: string, at: string): string[] => {
  const { startMs, endMs } = windowAt(kind, zone, Date.parse(at));
  return [startMs, endMs].map((ms) => new Date(ms).toISOString().replace(":00.000Z", "Z"));
};

const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"), "UTC");
const moment = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) });
const kind = fc.constantFrom(...BUDGET_WINDOWS);

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
        // The clocks of a few zones are put forward by half an hour, in the middle of one of theirs.
        if (kind === "total" || kind === "hour") return;
        const other = Math.floor(window.startMs + where * (window.endMs - window.startMs - 1));
        expect(windowAt(kind, zone, other)).toEqual(window);
      }),
      { numRuns: 500 },
    );
  });

  test("is followed by the next one at once", () => {
    fc.assert(
      fc.property(fc.constantFrom("day", "week", "month"), zone, moment, (kind, zone, at) => {
        const { endMs } = windowAt(kind, zone, at);
        expect(windowAt(kind, zone, endMs).startMs).toBe(endMs);
      }),
      { numRuns: 500 },
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
