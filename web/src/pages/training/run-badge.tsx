import { Badge, Loader } from "@mantine/core";
import type { RunRecord } from "../../../../src/contract/training.ts";

type Status = RunRecord["status"];

const LOOKS: Readonly<Record<Status, { color: string; word: string }>> = {
  queued: { color: "gray", word: "waits" },
  running: { color: "blue", word: "runs" },
  paused: { color: "orange", word: "paused" },
  completed: { color: "pine", word: "completed" },
  cancelled: { color: "gray", word: "cancelled" },
};

/** It goes on by itself. */
export const isMoving = (status: Status): boolean => status === "queued" || status === "running";
export const isEnded = (status: Status): boolean => status === "completed" || status === "cancelled";

export const RunBadge = ({ status }: { status: Status }) => (
  <Badge
    color={LOOKS[status].color}
    miw="max-content"
    leftSection={status === "running" ? <Loader size={10} color="gray" aria-label="in progress" /> : undefined}
  >
    {LOOKS[status].word}
  </Badge>
);
