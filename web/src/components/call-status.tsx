import { Badge } from "@mantine/core";
import type { CallRecord } from "../../../src/contract/usage-records.ts";

const LOOKS: Readonly<Record<CallRecord["status"], { color: string; word: string }>> = {
  succeeded: { color: "pine", word: "good" },
  rejected: { color: "orange", word: "refused" },
  failed: { color: "red", word: "failed" },
  cancelled: { color: "gray", word: "left" },
  partial: { color: "yellow", word: "broke off" },
  aborted: { color: "red", word: "aborted" },
};

/** How a call ended, in a word; wide enough for the longest of them. */
export const CallStatus = ({ status }: { status: CallRecord["status"] }) => (
  <Badge variant="light" color={LOOKS[status].color} tt="none" miw={78}>
    {LOOKS[status].word}
  </Badge>
);

export const CALL_STATUS_WORDS = Object.entries(LOOKS).map(([value, { word }]) => ({ value, label: word }));
