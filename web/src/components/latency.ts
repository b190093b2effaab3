import type { UsageSumsRecord } from "../../../src/contract/usage-records.ts";
import { formatMs } from "./format-ms.ts";

type Measured = Pick<UsageSumsRecord, "averageLatencyMs" | "averageTtftMs">;

/** From the call to the end of its answer, on average. */
export const timePerCall = ({ averageLatencyMs: ms }: Measured): string => (ms === null ? "–" : formatMs(ms));

/**
 * Calls that fail before an answer begins, often at once, have a time but no first byte: with many of them, the whole call
 * seems shorter than its beginning, and the note says why.
 */
export function firstByteNote({ averageLatencyMs, averageTtftMs: ms }: Measured): string {
  if (ms === null) return "on average";
  return `first byte ${formatMs(ms)}${ms > (averageLatencyMs ?? 0) ? ", failed calls left out" : ""}`;
}
