import { expect, test } from "bun:test";
import { firstByteNote, timePerCall } from "../../web/src/components/latency.ts";

test("a time that nobody has measured is none", () => {
  const none = { averageLatencyMs: null, averageTtftMs: null };
  expect([timePerCall(none), firstByteNote(none)]).toEqual(["–", "on average"]);
});

test("a first byte that seems later than the end says that it counts fewer calls", () => {
  expect(firstByteNote({ averageLatencyMs: 900, averageTtftMs: 300 })).toBe("first byte 300 ms");
  expect(firstByteNote({ averageLatencyMs: 40, averageTtftMs: 300 })).toBe("first byte 300 ms, failed calls left out");
});
