import { useEffect, useState } from "react";
import type { RoundView, RunRecord } from "../../../../src/contract/training.ts";
import { call } from "../../api/client.ts";
import { readEvents } from "../../api/read-events.ts";
import { isEnded } from "./run-badge.tsx";

type Status = RunRecord["status"];

export interface RunEvents {
  /** Null before anything has come. */
  readonly status: Status | null;
  readonly reason: string | null;
  /** From the first on. */
  readonly rounds: readonly RoundView[];
}

const NOTHING: RunEvents = { status: null, reason: null, rounds: [] };
const AGAIN_MS = 1_500;

/** Everything that has happened in a run, and what happens now. A stream that ends early is taken up where it ended. */
export function useRunEvents(runId: string): RunEvents {
  const [events, setEvents] = useState(NOTHING);
  useEffect(() => {
    setEvents(NOTHING);
    const aborter = new AbortController();
    void follow(runId, aborter.signal, (change) => setEvents(change));
    return () => aborter.abort();
  }, [runId]);
  return events;
}

async function follow(
  runId: string,
  signal: AbortSignal,
  apply: (change: (before: RunEvents) => RunEvents) => void,
): Promise<void> {
  let seen = 0;
  let isOver = false;
  while (!isOver && !signal.aborted) {
    try {
      const headers = { "last-event-id": String(seen) };
      const response = await call("GET", `/api/training/runs/${runId}/events`, { headers, signal });
      for await (const { name, data } of readEvents(response)) {
        // Events are numbered without gaps, so counting them is knowing their numbers.
        seen++;
        if (name === "round") {
          const round = JSON.parse(data) as RoundView;
          apply((before) => ({ ...before, rounds: [...before.rounds, round] }));
        } else {
          const { status, reason } = JSON.parse(data) as { status: Status; reason: string | null };
          isOver = isEnded(status);
          apply((before) => ({ ...before, status, reason }));
        }
      }
    } catch {
      // What cannot be read is told by the page's other questions; this one is asked again.
    }
    if (!isOver && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}
