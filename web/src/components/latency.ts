import type { UsageSumsRecord } from "../../../src/contract/usage-records.ts";
import { formatMs } from "./format-ms.ts";

type Measured = Pick<UsageSumsRecord, "averageLatencyMs" | "averageTtftMs" | "failedRequests">;

/** From the call to the end of its answer, on average. */
export const timePerCall = ({ averageLatencyMs: ms }: Measured): string => (ms === null ? "–" : formatMs(ms));

/**
 * Calls that fail before an answer begins, often at once, have a time but no first byte: with them, the whole call may seem
 * shorter than its beginning.
 */
export function firstByteNote({ averageTtftMs: ms, failedRequests }: Measured): string {
  if (ms === null) return "on average";
  return `on average, first byte after ${formatMs(ms)}${failedRequests > 0 ? " where there was one" : ""}`;
}
